package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// checkLinkAllowed returns an error if two ports between which a probe was heard cannot be the ends
// of a link: one is configured as edge, or has a live host. Then one of the two is blocked, so that
// whatever carries the probe does not close a loop, and the hosts are queried. If they are gone, a
// link may be made.
func (c *Core) checkLinkAllowed(src, dst *port) error {
	switch {
	case dst.configuredEdge || src.configuredEdge:
		at := dst
		if !dst.configuredEdge {
			at = src
		}
		c.raiseAlarm(netview.AlarmLinkAtHost, at.at, "a probe of %s was heard at %s, and %s is configured as edge",
			src.at, dst.at, at.at)
		c.blockOne(src, dst)
		return ErrAtHost
	case c.occupancy.liveHost(src, dst) == nil && c.occupancy.liveHost(dst, src) == nil:
		return nil
	}
	for _, p := range [...]*port{src, dst} {
		p.probedAt = c.now
		if h := c.occupancy.liveHost(p, p.other(src, dst)); h != nil {
			c.raiseAlarm(netview.AlarmLinkAtHost, p.at,
				"a probe of %s was heard at %s, and host %s is known at %s: there is no link, and switches that nothing else "+
					"joins are parted, until the host is silent", src.at, dst.at, h.HostID, p.at)
			c.occupancy.query(p)
		}
	}
	c.blockOne(src, dst)
	return ErrAtHost
}

// other returns the one of two ports that p is not.
func (p *port) other(a, b *port) *port {
	if p == a {
		return b
	}
	return a
}

// blockOne blocks the port of the higher number; blocking one is enough, and a link's port is never
// blocked.
func (c *Core) blockOne(src, dst *port) {
	src.joinedAt, dst.joinedAt = c.now, c.now
	switch {
	case dst.role == netview.PortLink:
		c.block(src)
	case src.role == netview.PortLink || src.at.Compare(dst.at) < 0:
		c.block(dst)
	default:
		c.block(src)
	}
}

// block excludes a port from broadcasts, for as long as unexpected probes are heard at it.
func (c *Core) block(p *port) {
	if p.role == netview.PortLink || !p.up {
		return
	}
	p.blockedAt = c.now
	if p.role == netview.PortBlocked {
		return
	}
	c.setRole(p, netview.PortBlocked)
	c.blocks.add(c.now.Add(c.blockTime()), p.at)
}

func (c *Core) blockTime() time.Duration { return missedProbes*c.pace.period + c.pace.settle }

// dueUnblock re-evaluates a blocked port if no unexpected probe was heard there for long enough.
func (c *Core) dueUnblock(at netview.Point) {
	p := c.port(at)
	if p == nil || p.role != netview.PortBlocked {
		return
	}
	if end := p.blockedAt.Add(c.blockTime()); !p.device.connected || end.After(c.now) {
		c.blocks.add(later(end, c.now.Add(c.pace.period)), at)
		return
	}
	p.history = historyNone
	c.setUnknown(p)
	c.prober.start(p)
}
