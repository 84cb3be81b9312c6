package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// askARP sends a request for n's address: to all, or to n alone while it is still valid.
func (h *Host) askARP(n *neighbour, out Output) {
	k := packet.NewARPRequest(h.cfg.MAC, h.ip4.As4(), n.ip.As4())
	k.VLAN = h.vlan()
	if n.known {
		k.EthDst = n.mac
	}
	h.buf = packet.AppendARP(h.buf[:0], &k)
	h.transmit(h.buf, nil, out)
}

// receiveARP learns from a message and answers it (RFC 826).
func (h *Host) receiveARP(a packet.ARP, now time.Duration, out Output) {
	if !a.Valid() {
		h.counters.Malformed++
		return
	}
	sender, target := packet.AddrFrom4(a.SPA()), packet.AddrFrom4(a.TPA())
	if h.ip4.IsZero() {
		h.counters.Foreign++
		return
	}
	wanted := a.Op() == packet.ARPRequest && target == h.ip4
	h.heard(sender, a.SHA(), wanted, now, out)
	if !wanted || sender == h.ip4 { // an announcement of our own address by somebody is not answered
		return
	}
	h.counters.Asked++
	h.counters.Answers++
	k := packet.NewARPReply(h.cfg.MAC, h.ip4.As4(), a.SHA(), a.SPA())
	k.VLAN = h.vlan()
	h.buf = packet.AppendARP(h.buf[:0], &k)
	h.transmit(h.buf, nil, out)
}

// announceARP sends a gratuitous request: sender and target are the host (RFC 5227, section 3).
func (h *Host) announceARP(out Output) {
	k := packet.NewARPRequest(h.cfg.MAC, h.ip4.As4(), h.ip4.As4())
	k.VLAN = h.vlan()
	h.buf = packet.AppendARP(h.buf[:0], &k)
	h.transmit(h.buf, nil, out)
}
