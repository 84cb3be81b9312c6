package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// askARP sends a request for n's address: to all, or to n alone while it is still valid.
func (h *Host) askARP(n *neighbour, out Output) {
	k := packet.NewARPRequest(h.cfg.MAC, h.ip4.As4(), n.ip.As4())
	if n.known {
		k.EthDst = n.mac
	}
	h.sendARP(k, out)
}

func (h *Host) sendARP(k packet.Key, out Output) {
	k.VLAN = h.vlan()
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
	asked := a.Op() == packet.ARPRequest && target == h.ip4
	h.learn(sender, a.SHA(), asked, now, out)
	if !asked || sender == h.ip4 { // another host's announcement of our address is not answered
		return
	}
	h.counters.Asked++
	h.counters.Answers++
	h.sendARP(packet.NewARPReply(h.cfg.MAC, h.ip4.As4(), a.SHA(), a.SPA()), out)
}
