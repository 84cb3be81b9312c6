package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// receiveICMP handles a message of either version.
func (h *Host) receiveICMP(d *datagram, now time.Duration, out Output) {
	m := packet.ICMP(d.body)
	if !m.Valid() {
		h.counters.Malformed++
		return
	}
	if !d.checksumOK() {
		h.counters.BadChecksum++
		return
	}
	v4 := d.src.Is4()
	switch {
	case d.src.IsZero() && m.Type() != packet.NDSolicit:
		h.counters.Foreign++
	case v4 && m.Type() == packet.ICMPv4EchoRequest, !v4 && m.Type() == packet.ICMPv6EchoRequest:
		h.answerEcho(d, m, now, out)
	case v4 && m.Type() == packet.ICMPv4EchoReply, !v4 && m.Type() == packet.ICMPv6EchoReply:
		h.receiveEcho(d.src, m, now)
	case !v4 && (m.Type() == packet.NDSolicit || m.Type() == packet.NDAdvert):
		h.receiveND(d, packet.ND(m), now, out)
	default:
		h.counters.Foreign++
	}
}

// receiveND handles a neighbour solicitation or advertisement. A hop limit below 255 means that it
// came from beyond the link (RFC 4861, section 7.1).
func (h *Host) receiveND(d *datagram, m packet.ND, now time.Duration, out Output) {
	switch {
	case !m.Valid() || m[1] != 0:
		h.counters.Malformed++
	case d.ttl != 255:
		h.counters.Foreign++
	case m.Type() == packet.NDSolicit:
		h.receiveSolicit(d.src, m, now, out)
	default:
		h.receiveAdvert(m, now, out)
	}
}

// answerEcho answers a request, unless it was sent to a group, as Linux does for IPv4.
func (h *Host) answerEcho(d *datagram, m packet.ICMP, now time.Duration, out Output) {
	if !h.own(d.dst) || m.Code() != 0 {
		h.counters.Foreign++
		return
	}
	h.counters.Echoed++
	k := h.key(d.src)
	k.ICMPType = packet.ICMPv4EchoReply
	if !d.src.Is4() {
		k.ICMPType = packet.ICMPv6EchoReply
	}
	h.buf = packet.AppendICMPEcho(h.frame(), &k, m.EchoID(), m.EchoSeq(), m.Payload())
	h.deliver(d.src, h.buf, nil, now, out)
}

// receiveEcho hands a reply to its ping.
func (h *Host) receiveEcho(src packet.Addr, m packet.ICMP, now time.Duration) {
	p := h.pings[m.EchoID()]
	if p == nil || p.dst != src || m.Code() != 0 || !p.receive(h, m, now) {
		h.counters.Unmatched++
	}
}
