package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// Receive handles a frame from the host's link, which it neither changes nor keeps. Answers are
// sent during the call.
func (h *Host) Receive(frame []byte, now time.Duration, out Output) {
	h.counters.FramesIn++
	h.counters.BytesIn += uint64(len(frame))
	dst, _, vlan, etherType, at, ok := packet.ParseEthernet(frame)
	if !ok {
		h.counters.Malformed++
		return
	}
	if dst != h.mac && dst>>40&1 == 0 {
		h.counters.NotMine++
		return
	}
	if vlan&packet.VLANMask != h.cfg.VLAN {
		h.counters.Foreign++
		return
	}
	switch etherType {
	case packet.TypeARP:
		h.receiveARP(frame[at:], now, out)
	case packet.TypeIPv4:
		h.receiveIPv4(frame[at:], now, out)
	case packet.TypeIPv6:
		h.receiveIPv6(frame[at:], now, out)
	default:
		h.counters.Foreign++
	}
}

// datagram is the content of an IP packet for this host.
type datagram struct {
	src, dst packet.Addr
	proto    uint8
	ttl      uint8
	body     []byte // transport header and payload, whole
}

// accepts reports whether an IP packet to dst is for this host: to its address or to any group.
func (h *Host) accepts(dst packet.Addr) bool {
	if h.own(dst) {
		return true
	}
	_, group := h.groupMAC(dst)
	return group
}

func (h *Host) receiveIPv4(p packet.IPv4, now time.Duration, out Output) {
	switch {
	case !p.Valid() || int(p.TotalLen()) > len(p):
		h.counters.Malformed++
	case !p.ChecksumOK():
		h.counters.BadChecksum++
	case h.ip4.IsZero() || !h.accepts(p.Dst()) || !unicast(p.Src()) || p.Src() == h.ip4:
		h.counters.Foreign++
	case p.MoreFragments() || p.FragmentOffset() != 0:
		h.counters.Fragments++
	default:
		h.receiveDatagram(datagram{src: p.Src(), dst: p.Dst(), proto: p.Proto(), ttl: p.TTL(), body: p.Payload()}, now, out)
	}
}

func (h *Host) receiveIPv6(p packet.IPv6, now time.Duration, out Output) {
	if !p.Valid() || packet.IPv6Len+int(p.PayloadLen()) > len(p) {
		h.counters.Malformed++
		return
	}
	src, dst := p.Src(), p.Dst()
	if h.ip6.IsZero() || dst.Is4() || !h.accepts(dst) || src.Is4() || src == h.ip6 || !unicast(src) && !src.IsZero() {
		h.counters.Foreign++
		return
	}
	proto, body, ok := p.Payload()
	switch {
	case !ok:
		h.counters.Malformed++
	case proto == packet.ProtoFragment || fragmented(p):
		h.counters.Fragments++
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
		h.counters.Foreign++ // only neighbour discovery may have no source address
	case d.proto == packet.ProtoUDP:
		h.receiveUDP(&d, now, out)
	case d.proto == packet.ProtoTCP:
		h.receiveTCP(&d, now, out)
	default:
		h.counters.Foreign++
	}
}
