package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// vacancy is what is known of the hosts at a port where probes come in that make no link, because of
// these hosts.
type vacancy struct {
	blockedAt time.Time // of PortBlocked: when an unexpected probe was last heard
	probedAt  time.Time // when such a probe was last heard, here or of it elsewhere
	queriedAt time.Time // when its hosts were last queried because of that
	querying  bool      // that query is still open
	alive     bool      // one of them has spoken since
	vacatedAt time.Time // when they were found silent
}

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
	case c.liveHost(src, dst) == nil && c.liveHost(dst, src) == nil:
		return nil
	}
	for _, p := range [...]*port{src, dst} {
		p.probedAt = c.now
		if h := c.liveHost(p, p.other(src, dst)); h != nil {
			c.raiseAlarm(netview.AlarmLinkAtHost, p.at,
				"a probe of %s was heard at %s, and host %s is known at %s: there is no link, and switches that nothing else "+
					"joins are parted, until the host is silent", src.at, dst.at, h.HostID, p.at)
			c.queryPortHosts(p)
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

// liveHost returns a host at an edge port that has not been vacated; nil without one. The address
// of the port at the other end is not a host: where Open vSwitch forwards without its kernel
// module, the kernel still has the interface, and speaks and answers with its address.
func (c *Core) liveHost(p, end *port) *netview.Host {
	settled := p.role == netview.PortEdge || p.role == netview.PortBlocked
	if !settled || p.hosts == 0 || !p.vacatedAt.IsZero() && c.now.Sub(p.vacatedAt) <= c.vacantTime() {
		return nil
	}
	for h := range c.tx.HostsAt(p.at) {
		if h.MAC != end.mac {
			return h
		}
	}
	return nil
}

// mayBeCopy reports whether a frame does not count as the answer of a queried host: probes of ours
// come in at the port too, so there may be a cable, and the host has been seen elsewhere since it
// was queried, so the frame may have come along that cable. A frame sent to queryMAC is an answer
// all the same, since it goes to nobody else.
func (c *Core) mayBeCopy(p *port, s *sighting) bool {
	a := c.queries.open[s.id]
	return a != nil && a.at == s.at && a.claim != nil && !s.reply && !p.probedAt.IsZero() &&
		c.now.Sub(p.probedAt) <= missedProbes*c.pace.period
}

// clearLinkAtHost clears AlarmLinkAtHost of a port: there is a link now, or the port is gone.
func (c *Core) clearLinkAtHost(p *port) {
	if !p.probedAt.IsZero() {
		c.alarms.clear(netview.AlarmLinkAtHost, p.at.String())
	}
	p.probedAt = time.Time{}
}

// vacantTime is how long a port counts as vacated after its hosts were silent: longer than half the
// time between two queries, so that both ends of a cable are vacated at the same time at some
// point.
func (c *Core) vacantTime() time.Duration { return max(2*c.pace.period, (queryTries+2)*queryWait) }

// blockOne blocks the port of the higher number; blocking one is enough, and a link's port is never
// blocked.
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
