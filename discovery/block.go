package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// forbidden says whether two ports between which a probe was heard can be the ends of a link. They cannot where one is
// configured as edge, or has a host that is alive: then one of the two is blocked, so that whatever carries the probe
// does not close a loop, and the hosts are asked whether they are still there. Where they are not, a link may be made.
func (c *Core) forbidden(src, dst *port) error {
	switch {
	case dst.edge || src.edge:
		at := dst
		if !dst.edge {
			at = src
		}
		c.raise(netview.AlarmLinkAtHost, at.at, "a probe of %s was heard at %s, and %s is configured as edge", src.at, dst.at, at.at)
		c.blockOne(src, dst)
		return ErrAtHost
	case c.inhabitant(src, dst) == nil && c.inhabitant(dst, src) == nil:
		return nil
	}
	for _, p := range [...]*port{src, dst} {
		p.probed = c.now
		if h := c.inhabitant(p, p.other(src, dst)); h != nil {
			c.raise(netview.AlarmLinkAtHost, p.at, "a probe of %s was heard at %s, and host %s is known at %s: there is no link, and switches that nothing else "+
				"joins are parted, until the host is silent", src.at, dst.at, h.HostID, p.at)
			c.askPort(p)
		}
	}
	c.blockOne(src, dst)
	return ErrAtHost
}

// other is the one of two ports that p is not.
func (p *port) other(a, b *port) *port {
	if p == a {
		return b
	}
	return a
}

// inhabitant is a host at a port that has been one of hosts, if they have not been found to be gone; nil if there is none. The port at
// the other end, between which and this one a probe passes, is no host: where Open vSwitch forwards without its kernel module the
// kernel still has the interface, speaks from its address and answers for it.
func (c *Core) inhabitant(p, end *port) *netview.Host {
	settled := p.role == netview.PortEdge || p.role == netview.PortBlocked
	if !settled || p.hosts == 0 || !p.vacated.IsZero() && c.now.Sub(p.vacated) <= c.vacancy() {
		return nil
	}
	for h := range c.tx.HostsAt(p.at) {
		if h.MAC != end.mac {
			return h
		}
	}
	return nil
}

// copied is true of a frame that is no answer of a host that is asked where it came in: probes of ours come in there too, so there may
// be a cable, and the host has been seen elsewhere since it was asked, so the frame may have come along that cable. What it sends to the asker
// is an answer all the same, since that is sent to nobody else.
func (c *Core) copied(p *port, s *sighting) bool {
	a := c.asks[s.id]
	return a != nil && a.at == s.at && a.claim != nil && !s.reply && !p.probed.IsZero() && c.now.Sub(p.probed) <= missedProbes*c.cfg.Period
}

// endAtHost ends the alarm that probes are heard where a host is: there is a link now.
func (c *Core) endAtHost(p *port) {
	if !p.probed.IsZero() && c.cfg.Alarms != nil {
		c.cfg.Alarms.Clear(netview.AlarmLinkAtHost, p.at.String())
	}
	p.probed = time.Time{}
}

// vacancy is how long a port counts as left by its hosts once they were silent: longer than half the time between two
// questions, so that both ends of a cable are left at some time, whenever each was asked.
func (c *Core) vacancy() time.Duration { return max(2*c.cfg.Period, (askTries+2)*askWait) }

// blockOne blocks the port of the higher number; of two ports one is enough, and a link's port is none to be blocked.
func (c *Core) blockOne(src, dst *port) {
	switch {
	case dst.role == netview.PortLink:
		c.block(src)
	case src.role == netview.PortLink || src.at.Compare(dst.at) < 0:
		c.block(dst)
	default:
		c.block(src)
	}
}

// block takes a port out of service for broadcasts, for as long as probes are heard that it should not hear.
func (c *Core) block(p *port) {
	if p.role == netview.PortLink || !p.up {
		return
	}
	p.blocked = c.now
	if p.role == netview.PortBlocked {
		return
	}
	c.setRole(p, netview.PortBlocked)
	c.agenda.add(appointment{at: c.now.Add(c.blockFor()), duty: dutyUnblock, point: p.at})
}

func (c *Core) blockFor() time.Duration { return missedProbes*c.cfg.Period + c.cfg.Settle }

// dueUnblock looks at a blocked port anew if nothing was heard there for long enough.
func (c *Core) dueUnblock(a appointment) {
	p := c.port(a.point)
	if p == nil || p.role != netview.PortBlocked {
		return
	}
	if end := p.blocked.Add(c.blockFor()); !p.device.connected || end.After(c.now) {
		a.at = later(end, c.now.Add(c.cfg.Period))
		c.agenda.add(a)
		return
	}
	p.past = pastNone
	c.doubt(p)
	c.startProbing(p)
}
