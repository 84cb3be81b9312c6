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
	case !c.inhabited(src) && !c.inhabited(dst):
		return nil
	}
	for _, p := range [...]*port{src, dst} {
		if c.inhabited(p) {
			c.raise(netview.AlarmLinkAtHost, p.at, "a probe of %s was heard at %s, and a host is known at %s", src.at, dst.at, p.at)
			c.askPort(p)
		}
	}
	c.blockOne(src, dst)
	return ErrAtHost
}

// inhabited is true if hosts are known at a port that has been one of hosts, and have not been found to be gone.
func (c *Core) inhabited(p *port) bool {
	settled := p.role == netview.PortEdge || p.role == netview.PortBlocked
	return settled && p.hosts > 0 && (p.vacated.IsZero() || c.now.Sub(p.vacated) > c.vacancy())
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
