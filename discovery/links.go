package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// probeHeard handles an authentic probe that came in at a port. The error is ErrStale, ErrReplayed
// or ErrAtHost.
func (c *Core) probeHeard(at netview.Point, pr probe) error {
	src, dst := c.port(pr.from), c.port(at)
	if src == nil || dst == nil || !src.up || !dst.up || !src.device.connected || !dst.device.connected {
		return ErrStale
	}
	s := c.findSent(src, &pr)
	if s == nil {
		c.lateProbe(src, dst, &pr)
		return ErrStale
	}
	switch {
	case s.at < dst.appeared: // it was for the port that had this number before
		return ErrStale
	case s.heardAt == nil:
		s.heardAt = dst
	case s.heardAt == dst:
		c.raiseAlarm(netview.AlarmReplayedProbe, at, "the same probe of %s came in twice", src.at)
		return ErrReplayed
	default: // a segment of more than two ports, or somebody captured it
		if e := src.linkTo(s.heardAt); e == nil || e.near && !e.shared() {
			c.raiseAlarm(netview.AlarmReplayedProbe, at, "a probe of %s came in that had come in at %s already",
				src.at, s.heardAt.at)
		}
		c.block(dst)
		return ErrReplayed
	}
	if src.linkTo(dst) == nil {
		if err := c.checkLinkAllowed(src, dst); err != nil {
			return err
		}
		if len(src.out) >= maxPortLinks || len(dst.in) >= maxPortLinks {
			c.block(dst)
			return nil
		}
		if c.misforwarded(src, dst) {
			return nil
		}
	}
	c.linkHeard(c.addLink(src, dst, !pr.far), s, pr.far)
	return nil
}

// linkHeard handles a probe over a link, and probes for what is not known of it yet. A far probe
// says nothing about a link along which near ones pass, until these have been missing for some
// time.
func (c *Core) linkHeard(e *link, s *sentProbe, far bool) {
	src, dst, was := e.src, e.dst, e.near
	noteLink(src, dst)
	c.pace.observeLag(c.sinceStart()-s.at, c.now)
	e.missed, e.lastHeard = 0, c.now
	if !far && !e.unproven {
		setProven(e)
	}
	if !far {
		e.near, e.farStreak = true, 0
	} else if e.farStreak < minFarStreak {
		e.farStreak++
	}
	if far && e.near {
		if e.farStreak < minFarStreak {
			return
		}
		e.near = false
	}
	c.measureLatency(e, s)
	first := e.heardCount == 0
	if first && !far {
		c.removeReplaced(e)
	}
	if e.heardCount++; e.heardCount == 2 {
		c.settleEarly(src.device)
		c.settleEarly(dst.device)
	}
	e.heardCount = min(e.heardCount, 2)
	if first || was != e.near || far && e.alarm == "" {
		c.updateLinkStates(src, dst)
	} else {
		c.putLink(e.key(), true, e.state())
	}
	if back := dst.linkTo(src); (back == nil || back.heardCount < e.heardCount) && !c.probesSoon(dst) {
		c.pace.reserve(probesOfPort, c.now)
		c.probe(dst, nearAndFar, false) // discover the other direction at once
	}
	if far && first {
		c.probe(src, onlyNear, false) // and whether a bridge is in between
	}
}

// removeReplaced removes the links at a cable's ends that have not been heard since their sessions
// began, and those whose other end is disconnected: a near probe has just come in from elsewhere,
// so the cable leads there now. A switch that gets another datapath id looks like this to its
// neighbours.
func (c *Core) removeReplaced(e *link) {
	for _, p := range [...]*port{e.src, e.dst} {
		for _, o := range p.links() {
			if (o.heardCount == 0 || !o.bothConnected()) &&
				(o.src != e.src && o.src != e.dst || o.dst != e.src && o.dst != e.dst) {
				c.removeLink(o)
				c.setSuccessor(p.otherEnd(o).device, p.otherEnd(e).device)
			}
		}
	}
}

// otherEnd returns the other end of a port's link.
func (p *port) otherEnd(e *link) *port { return p.other(e.src, e.dst) }

// removeSuperseded removes the links of a switch that lost its session whose cable was found to
// lead elsewhere before that was noticed: the other end was heard from another port since it was
// last heard from this one.
func (c *Core) removeSuperseded(d *device) {
	for _, p := range d.ports {
		for _, e := range p.links() {
			q, edges := p.otherEnd(e), p.otherEnd(e).links()
			if i := slices.IndexFunc(edges,
				func(o *link) bool {
					return o.near && o.bothConnected() && o.heardCount > 0 && o.created.After(e.lastHeard)
				}); i >= 0 {
				c.removeLink(e)
				c.setSuccessor(d, q.otherEnd(edges[i]).device)
			}
		}
	}
}

// findSent returns a probe if it was sent in this period or the last.
func (c *Core) findSent(p *port, pr *probe) *sentProbe {
	for i := 0; p.sent != nil && i < len(p.sent); i++ {
		if s := &p.sent[i]; s.number == pr.number && s.at != 0 && c.sinceStart()-s.at <= 2*c.pace.period {
			return s
		}
	}
	return nil
}

// lateProbe raises an alarm for an authentic probe that was not sent lately: somebody kept it. If
// the sent probes were cleared because the port went down, this instance has just started, or one
// of the switches was stalled (it deletes hundreds of ports), it may still have been in flight.
func (c *Core) lateProbe(src, dst *port, pr *probe) {
	wait := 2 * c.pace.period
	if c.now.Sub(src.sentCleared) <= wait || c.sinceStart() <= wait+startupGrace || c.recentlySilent(src.device) ||
		c.recentlySilent(dst.device) {
		return
	}
	c.raiseAlarm(netview.AlarmReplayedProbe, dst.at, "an old probe of %s came in", src.at)
}

// linkTo returns the link from p to q, or nil.
func (p *port) linkTo(q *port) *link {
	if i := slices.IndexFunc(p.out, func(e *link) bool { return e.dst == q }); i >= 0 {
		return p.out[i]
	}
	return nil
}

// addLink returns the link between two ports, created if necessary: both ports get the role link.
func (c *Core) addLink(src, dst *port, near bool) *link {
	if e := src.linkTo(dst); e != nil {
		return e
	}
	e := &link{src: src, dst: dst, near: near, created: c.now, unproven: c.notPluggedIn(src, dst)}
	src.out = append(src.out, e)
	dst.in = append(dst.in, e)
	for _, p := range [...]*port{src, dst} {
		c.setRole(p, netview.PortLink)
		c.clearLinkAtHost(p)
	}
	return e
}

// removeLink takes a link down. A port without another link is re-evaluated. Its history keeps the
// link: until there is evidence that the other end is gone, it may be a link again.
func (c *Core) removeLink(e *link) {
	e.src.out = slices.DeleteFunc(e.src.out, func(o *link) bool { return o == e })
	e.dst.in = slices.DeleteFunc(e.dst.in, func(o *link) bool { return o == e })
	row, _ := c.tx.Link(e.key())
	c.putLink(e.key(), false, row.State)
	c.downLinks.add(c.now.Add(keepDownLink), downLink{e.key(), c.now})
	c.clearIndirectAlarm(e)
	for _, p := range [...]*port{e.src, e.dst} {
		switch {
		case len(p.in)+len(p.out) > 0:
			c.updateLinkStates(p)
		case p.up && p.role == netview.PortLink:
			if e.unproven && e.near {
				c.restoreEdge(p)
			}
			c.setUnknown(p)
			if p.device.connected {
				c.startProbing(p)
			}
		}
	}
}

// putLink writes a link's row if it has changed.
func (c *Core) putLink(key netview.LinkKey, up bool, state netview.LinkState) {
	next := netview.Link{LinkKey: key, Since: c.now}
	if old, ok := c.tx.Link(key); ok {
		if old.Up == up && old.State == state {
			return
		}
		next = *old
		if old.Up != up {
			next.Since, next.MeasuredUS = c.now, 0
		}
	}
	next.Up, next.State = up, state
	c.tx.PutLink(&next)
}

// downLink is a link that went down at a time.
type downLink struct {
	key   netview.LinkKey
	since time.Time
}

// duePurge deletes the row of a link that has been down for long.
func (c *Core) duePurge(l downLink) {
	if row, ok := c.tx.Link(l.key); ok && !row.Up && row.Since.Equal(l.since) {
		c.tx.DeleteLink(l.key)
	}
}

// raiseAlarm raises an alarm about an attack, or what looks like one, at a port.
func (c *Core) raiseAlarm(kind netview.AlarmKind, at netview.Point, format string, args ...any) {
	c.alarms.raise(kind, at.String(), format, args...)
}
