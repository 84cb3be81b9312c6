package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// askARP sends a request for n's address: to all, or to n alone while it is still valid.
func (c *neighbours) askARP(n *neighbour, out Output) {
	k := packet.NewARPRequest(c.link.cfg.MAC, c.link.ip4.As4(), n.ip.As4())
	if n.known {
		k.EthDst = n.mac
	}
	c.sendARP(k, out)
}

func (c *neighbours) sendARP(k packet.Key, out Output) {
	k.VLAN = c.link.vlan()
	c.link.buf = packet.AppendARP(c.link.buf[:0], &k)
	c.link.transmit(c.link.buf, nil, out)
}

// receiveARP learns from a message and answers it (RFC 826).
func (c *neighbours) receiveARP(a packet.ARP, now time.Duration, out Output) {
	if !a.Valid() {
		c.link.counters.Malformed++
		return
	}
	sender, target := packet.AddrFrom4(a.SPA()), packet.AddrFrom4(a.TPA())
	if c.link.ip4.IsZero() {
		c.link.counters.Foreign++
		return
	}
	asked := a.Op() == packet.ARPRequest && target == c.link.ip4
	c.learn(sender, a.SHA(), asked, now, out)
	if !asked || sender == c.link.ip4 { // another host's announcement of our address is not answered
		return
	}
	c.link.counters.Asked++
	c.link.counters.Answers++
	c.sendARP(packet.NewARPReply(c.link.cfg.MAC, c.link.ip4.As4(), a.SHA(), a.SPA()), out)
}
