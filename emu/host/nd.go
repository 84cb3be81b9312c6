package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// allNodes is ff02::1.
var allNodes = packet.Addr{0: 0xff, 1: 0x02, 15: 1}

// askND sends a solicitation for n's address: to its solicited-node group, or to n alone while it
// is still valid.
func (c *neighbours) askND(n *neighbour, out Output) {
	k := packet.NewNDSolicit(c.link.cfg.MAC, c.link.ip6, n.ip)
	if n.known {
		k.EthDst, k.IPDst = n.mac, n.ip
	}
	c.sendND(k, 0, out)
}

func (c *neighbours) sendND(k packet.Key, flags uint8, out Output) {
	k.VLAN = c.link.vlan()
	c.link.buf = packet.AppendND(c.link.buf[:0], &k, flags)
	c.link.transmit(c.link.buf, nil, out)
}

// linkAddress is the address in a message's option of this type, zero without one; ok is false if
// an option is malformed.
func linkAddress(options []byte, want uint8) (mac packet.MAC, ok bool) {
	for len(options) > 0 {
		typ, value, rest, whole := packet.NextNDOption(options)
		if !whole {
			return packet.MAC{}, false
		}
		if typ == want && len(value) == len(mac) {
			mac = packet.MAC(value)
		}
		options = rest
	}
	return mac, true
}

// receiveND handles a neighbour solicitation or advertisement. A hop limit below 255 means that it
// came from beyond the link (RFC 4861, section 7.1).
func (c *neighbours) receiveND(d *datagram, m packet.ND, now time.Duration, out Output) {
	switch {
	case !m.Valid() || m[1] != 0:
		c.link.counters.Malformed++
	case d.ttl != 255:
		c.link.counters.Foreign++
	case m.Type() == packet.NDSolicit:
		c.receiveSolicit(d.src, m, now, out)
	default:
		c.receiveAdvert(m, now, out)
	}
}

// receiveSolicit learns from a solicitation and answers it (RFC 4861, sections 7.1.1 and 7.2.3).
func (c *neighbours) receiveSolicit(src packet.Addr, m packet.ND, now time.Duration, out Output) {
	if m.Target() != c.link.ip6 {
		return
	}
	mac, ok := linkAddress(m.Options(), packet.NDOptSLL)
	if !ok {
		c.link.counters.Malformed++
		return
	}
	c.link.counters.Asked++
	if src.IsZero() { // duplicate address detection: the answer goes to all nodes
		c.link.counters.Answers++
		c.announceND(out)
		return
	}
	if src == c.link.ip6 {
		return
	}
	c.learn(src, mac, true, now, out)
	c.link.counters.Answers++
	c.advertiseTo(src, mac, now, out)
}

// advertiseTo answers a solicitation from src: to the address in its option, or by the cache if it
// has none.
func (c *neighbours) advertiseTo(src packet.Addr, mac packet.MAC, now time.Duration, out Output) {
	const flags = packet.NDSolicited | packet.NDOverride
	k := packet.NewNDAdvert(c.link.cfg.MAC, c.link.ip6, mac, src)
	if !mac.IsZero() && !mac.IsMulticast() {
		c.sendND(k, flags, out)
		return
	}
	k.VLAN = c.link.vlan()
	c.link.buf = packet.AppendND(c.link.buf[:0], &k, flags)
	c.deliver(src, c.link.buf, nil, now, out)
}

// receiveAdvert learns from an advertisement (RFC 4861, section 7.2.5, without its states between
// known and unknown).
func (c *neighbours) receiveAdvert(m packet.ND, now time.Duration, out Output) {
	mac, ok := linkAddress(m.Options(), packet.NDOptTLL)
	if !ok {
		c.link.counters.Malformed++
		return
	}
	n := c.table[m.Target()]
	if n == nil || mac.IsZero() && !n.known {
		c.link.counters.Unmatched++ // not asked for, or without an address
		return
	}
	if mac.IsZero() || n.known && n.mac != mac && m.Flags()&packet.NDOverride == 0 {
		mac = n.mac
	}
	c.learn(m.Target(), mac, false, now, out)
}

// announceND sends an unsolicited advertisement of the host's address (RFC 4861, section 7.2.6).
func (c *neighbours) announceND(out Output) {
	c.sendND(packet.NewNDAdvert(c.link.cfg.MAC, c.link.ip6, packet.MAC{0x33, 0x33, 0, 0, 0, 1}, allNodes), packet.NDOverride, out)
}

// announce sends at once, to all stations, a gratuitous ARP request (RFC 5227, section 3: sender
// and target are the host) and an unsolicited neighbour advertisement, for the addresses the host
// has.
func (c *neighbours) announce(out Output) {
	if !c.link.ip4.IsZero() {
		c.sendARP(packet.NewARPRequest(c.link.cfg.MAC, c.link.ip4.As4(), c.link.ip4.As4()), out)
	}
	if !c.link.ip6.IsZero() {
		c.announceND(out)
	}
}

// announcement is the timer of an announcement to come.
type announcement struct {
	timer
	of *neighbours
}

func (a *announcement) wake(_ time.Duration, out Output) { a.of.announce(out) }
