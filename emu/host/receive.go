package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// Receive handles a frame from the host's link, which it neither changes nor keeps. Answers are
// sent during the call.
func (h *Host) Receive(frame []byte, now time.Duration, out Output) {
	h.link.counters.FramesIn++
	h.link.counters.BytesIn += uint64(len(frame))
	dst, _, vlan, etherType, at, ok := packet.ParseEthernet(frame)
	if !ok {
		h.link.counters.Malformed++
		return
	}
	if dst != h.link.mac && dst>>40&1 == 0 {
		h.link.counters.NotMine++
		return
	}
	if vlan&packet.VLANMask != h.link.cfg.VLAN {
		h.link.counters.Foreign++
		return
	}
	switch etherType {
	case packet.TypeARP:
		h.neighbours.receiveARP(frame[at:], now, out)
	case packet.TypeIPv4:
		h.receiveIPv4(frame[at:], now, out)
	case packet.TypeIPv6:
		h.receiveIPv6(frame[at:], now, out)
	default:
		h.link.counters.Foreign++
	}
}

// datagram is the content of an IP packet for this host.
type datagram struct {
	src, dst packet.Addr
	proto    uint8
	ttl      uint8
	body     []byte // transport header and payload, whole
}

func (h *Host) receiveIPv4(p packet.IPv4, now time.Duration, out Output) {
	switch {
	case !p.Valid() || int(p.TotalLen()) > len(p):
		h.link.counters.Malformed++
	case !p.ChecksumOK():
		h.link.counters.BadChecksum++
	case h.link.ip4.IsZero() || !h.link.accepts(p.Dst()) || !unicast(p.Src()) || p.Src() == h.link.ip4:
		h.link.counters.Foreign++
	case p.MoreFragments() || p.FragmentOffset() != 0:
		h.link.counters.Fragments++
	default:
		h.receiveDatagram(datagram{src: p.Src(), dst: p.Dst(), proto: p.Proto(), ttl: p.TTL(), body: p.Payload()}, now, out)
	}
}

func (h *Host) receiveIPv6(p packet.IPv6, now time.Duration, out Output) {
	if !p.Valid() || packet.IPv6Len+int(p.PayloadLen()) > len(p) {
		h.link.counters.Malformed++
		return
	}
	src, dst := p.Src(), p.Dst()
	if h.link.ip6.IsZero() || dst.Is4() || !h.link.accepts(dst) || src.Is4() || src == h.link.ip6 ||
		!unicast(src) && !src.IsZero() {
		h.link.counters.Foreign++
		return
	}
	proto, body, ok := p.Payload()
	switch {
	case !ok:
		h.link.counters.Malformed++
	case proto == packet.ProtoFragment || fragmented(p):
		h.link.counters.Fragments++
	default:
		h.receiveDatagram(datagram{src: src, dst: dst, proto: proto, ttl: p.HopLimit(), body: body}, now, out)
	}
}

// fragmented reports whether the first extension header of an IPv6 packet says that more fragments
// follow.
func fragmented(p packet.IPv6) bool {
	return p.NextHeader() == packet.ProtoFragment && p[packet.IPv6Len+3]&1 != 0
}

func (h *Host) receiveDatagram(d datagram, now time.Duration, out Output) {
	switch {
	case d.proto == packet.ProtoICMPv4 && d.src.Is4():
		h.receiveICMP(&d, now, out)
	case d.proto == packet.ProtoICMPv6 && !d.src.Is4():
		h.receiveICMP(&d, now, out)
	case d.src.IsZero():
		h.link.counters.Foreign++ // only neighbour discovery may have no source address
	case d.proto == packet.ProtoUDP:
		h.udp.receive(&d, now, out)
	case d.proto == packet.ProtoTCP:
		h.tcp.receive(&d, now, out)
	default:
		h.link.counters.Foreign++
	}
}

// receiveICMP handles a message of either version.
func (h *Host) receiveICMP(d *datagram, now time.Duration, out Output) {
	m := packet.ICMP(d.body)
	if !m.Valid() {
		h.link.counters.Malformed++
		return
	}
	if !d.checksumOK() {
		h.link.counters.BadChecksum++
		return
	}
	v4 := d.src.Is4()
	switch {
	case d.src.IsZero() && m.Type() != packet.NDSolicit:
		h.link.counters.Foreign++
	case v4 && m.Type() == packet.ICMPv4EchoRequest, !v4 && m.Type() == packet.ICMPv6EchoRequest:
		h.echo.answer(d, m, now, out)
	case v4 && m.Type() == packet.ICMPv4EchoReply, !v4 && m.Type() == packet.ICMPv6EchoReply:
		h.echo.receive(d.src, m, now)
	case !v4 && (m.Type() == packet.NDSolicit || m.Type() == packet.NDAdvert):
		h.neighbours.receiveND(d, packet.ND(m), now, out)
	default:
		h.link.counters.Foreign++
	}
}
