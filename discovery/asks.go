package discovery

import (
	"net/netip"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

const (
	askTries = 2
	askWait  = 300 * time.Millisecond // for an answer, once the switch has come to the question
	askLimit = 5 * time.Second        // for the switch to come to it; after that nothing was found out
	askIPs   = 8                      // addresses asked for at a time
)

// asker is the source of what hosts are asked with: an address of nobody, of the locally administered space.
var asker = packet.MAC{0x02, 0x57, 0x52, 0x00, 0x00, 0x01}

// askerIP is its link-local address (RFC 4291, appendix A).
var askerIP = linkLocal(asker)

// ask is a question to a host whether it is still where it is known to be. Any frame of it from there is the answer.
type ask struct {
	id    netview.HostID
	at    netview.Point
	begun time.Time
	tries int
	left  int       // tries of which a frame really left
	claim *sighting // it was seen there meanwhile; nil if that is not why it is asked
	purge bool      // it is deleted if it is silent
	// A barrier follows each try. Until it came back the question may wait anywhere between here and the host's port, and
	// silence says nothing.
	barrier uint64    // behind the last try
	passed  time.Time // when that came back; zero: it did not
	// elsewhere is true if at is not where it is known to be: where it was before it moved unasked (unasked.go), or may be now (heir.go).
	elsewhere bool
}

// startAsk asks a host where it is; nil if too many are being asked. A host that is asked already is not asked anew.
func (c *Core) startAsk(h *netview.Host) *ask { return c.startAskAt(h, h.At) }

func (c *Core) startAskAt(h *netview.Host, at netview.Point) *ask {
	if a := c.asks[h.HostID]; a != nil {
		return a
	}
	if len(c.asks) >= c.cfg.Limits.Asks {
		return nil
	}
	a := &ask{id: h.HostID, at: at, begun: c.now}
	c.asks[h.HostID] = a
	c.note(h.HostID, func(n *note) { n.asked = c.now })
	there := *h
	there.At = at
	c.forget(&there) // so that its answer is news
	c.try(a, h)
	return a
}

// try sends the next question: an ARP probe for its IPv4 addresses (RFC 5227, 2.1.1: from 0.0.0.0, so that it changes
// nobody's cache) and a neighbour solicitation for its IPv6 ones; for the link-local address that goes with its MAC if it
// has told none.
func (c *Core) try(a *ask, h *netview.Host) {
	a.tries++
	a.barrier, a.passed = c.barrier(a), time.Time{}
	ips := h.IPs[:min(len(h.IPs), askIPs)]
	if len(ips) == 0 {
		ips = []netip.Addr{linkLocal(a.id.MAC).Netip()}
	}
	for _, ip := range ips {
		begin := len(c.frames)
		c.frames = appendQuestion(c.frames, a.id, packet.AddrFrom(ip))
		c.sends = append(c.sends, send{at: a.at, ask: a, try: a.tries, begin: begin, end: len(c.frames)})
	}
	c.Counts.Asked.Add(1)
	c.agenda.add(appointment{at: c.now.Add(askWait), duty: dutyAsk, host: a.id, stamp: a.begun})
}

// appendQuestion appends the frame that asks a host for one of its addresses.
func appendQuestion(b []byte, id netview.HostID, ip packet.Addr) []byte {
	var k packet.Key
	if ip.Is4() {
		k = packet.NewARPRequest(asker, [4]byte{}, ip.As4())
	} else {
		k = packet.NewNDSolicit(asker, askerIP, ip)
	}
	k.EthDst = id.MAC
	if id.VLAN != 0 {
		k.VLAN, k.Layers = packet.VLANPresent|id.VLAN, k.Layers|packet.LayerVLAN
	}
	if ip.Is4() {
		return packet.AppendARP(b, &k)
	}
	return packet.AppendND(b, &k, 0)
}

// linkLocal is the link-local address of an interface whose identifier is made from its MAC.
func linkLocal(m packet.MAC) packet.Addr {
	return packet.Addr{0xfe, 0x80, 8: m[0] ^ 2, 9: m[1], 10: m[2], 11: 0xff, 12: 0xfe, 13: m[3], 14: m[4], 15: m[5]}
}

// leftAsk notes whether a question really left.
func (c *Core) leftAsk(s *send, ok bool) {
	if !ok {
		c.Counts.Unsent.Add(1)
		return
	}
	s.ask.left = max(s.ask.left, s.try)
}

// dueAsk asks a host again, or takes its silence for an answer. Where not every try left, or the switch did not come to it,
// silence means nothing.
func (c *Core) dueAsk(d appointment) {
	a := c.asks[d.host]
	if a == nil || !a.begun.Equal(d.stamp) {
		return
	}
	h, known := c.tx.Host(a.id)
	p := c.port(a.at)
	switch {
	case !known || h.At != a.at && !a.elsewhere:
		delete(c.asks, a.id)
	case p == nil || !p.up || !p.device.connected || p.role == netview.PortLink: // its place went meanwhile
		delete(c.asks, a.id)
		if a.claim != nil {
			c.claimed(h, a.claim)
		}
	case a.left == a.tries && a.passed.IsZero() && c.now.Sub(a.begun) >= askLimit:
		delete(c.asks, a.id)
		c.unanswered(a)
	case a.left == a.tries && !c.heardOut(a):
		if d.at = a.passed.Add(askWait); a.passed.IsZero() {
			d.at = c.now.Add(askWait)
		}
		c.agenda.add(d)
	case a.tries < askTries:
		c.try(a, h)
	default:
		delete(c.asks, a.id)
		if a.left == askTries {
			c.silent(a, h)
		}
	}
}

// heardOut is true once the host has had its time to answer since its switch came to the question.
func (c *Core) heardOut(a *ask) bool { return !a.passed.IsZero() && c.now.Sub(a.passed) >= askWait }

// unanswered ends a question to which the switch did not come: it does nothing that it is told, or its session is stalled.
// The host stays where it is, and where it was asked for a port's sake it counts as alive.
func (c *Core) unanswered(a *ask) {
	if p := c.port(a.at); p != nil {
		p.alive = true
	}
	if p, q := c.port(a.at), c.claimedAt(a); p != nil && q != nil && contested(p.device, q.device) {
		c.hold(a.claim)
	} else if a.claim != nil {
		c.refuse(a.claim, "its switch, %s, does not answer, so that it cannot be asked", a.at.DPID)
	}
}

// claimedAt is the port where a host that is asked was seen meanwhile, nil if it was not.
func (c *Core) claimedAt(a *ask) *port {
	if a.claim == nil {
		return nil
	}
	return c.port(a.claim.at)
}

// silent does what follows from a host's silence.
func (c *Core) silent(a *ask, h *netview.Host) {
	switch {
	case a.elsewhere:
		if c.unasked[a.id] == a.at {
			c.endUnasked(a.id)
		}
	case a.claim != nil:
		c.accept(a.claim)
	case a.purge && !c.suspects() && (c.cfg.InUse == nil || !c.cfg.InUse(h.HostID, h.At)):
		c.deleteHost(h)
		c.Counts.Expired.Add(1)
	}
}

// answered takes a sighting for the answer of a host that is asked.
func (c *Core) answered(p *port, s *sighting) {
	if h, ok := c.tx.Host(s.id); ok && h.At == s.at {
		p.alive = true
	}
	a := c.asks[s.id]
	if a == nil || a.at != s.at || a.elsewhere && c.unasked[s.id] == s.at { // giveBack ends that
		return
	}
	delete(c.asks, s.id)
	c.note(s.id, func(n *note) { n.answered = true })
	if a.claim != nil {
		c.refuseClaim(a)
	}
}

// askPort asks some of the hosts at a port, at which a probe was heard that should not be, whether they are there. If
// none of the port's hosts speaks, a link may be made.
func (c *Core) askPort(p *port) {
	if p.asking || !p.asked.IsZero() && c.now.Sub(p.asked) < missedProbes*c.cfg.Period {
		return
	}
	p.asked, p.asking, p.alive = c.now, true, false
	for i, h := range c.hostsAt(p.at) {
		c.forget(h)
		if i < askIPs && c.startAsk(h) == nil {
			p.alive = true // they cannot be asked now
		}
	}
	c.agenda.add(appointment{at: c.now.Add((askTries + 1) * askWait), duty: dutyPort, point: p.at, stamp: p.asked})
}

// duePort notes that a port's hosts have gone, if none has spoken since they were asked and each had the time to.
func (c *Core) duePort(d appointment) {
	p := c.port(d.point)
	if p == nil || !p.asking || !p.asked.Equal(d.stamp) {
		return
	}
	for _, h := range c.hostsAt(p.at) {
		if a := c.asks[h.HostID]; a != nil && a.at == p.at && !p.alive {
			d.at = c.now.Add(askWait)
			c.agenda.add(d)
			return
		}
	}
	p.asking = false
	if !p.alive && p.up && p.device.connected {
		p.vacated = c.now
		c.startProbing(p)
	}
}
