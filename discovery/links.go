package discovery

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// probeHeard handles an authentic probe that came in at a port. The error is ErrStale, ErrReplayed
// or ErrAtHost.
func (c *Core) probeHeard(at netview.Point, pr probe) error {
	src, dst := c.port(pr.from), c.port(at)
	if src == nil || dst == nil || !src.up || !dst.up || !src.device.connected || !dst.device.connected {
		return ErrStale
	}
	s := c.prober.find(src, &pr)
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
		if c.cables.misforwarded(src, dst) {
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
	c.pace.observeLag(c.sinceStart() - s.at)
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
	c.links.measureLatency(e, s, c.arrival)
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
		c.links.updateStates(src, dst)
	} else {
		c.links.put(e.key(), true, e.state())
	}
	if back := dst.linkTo(src); (back == nil || back.heardCount < e.heardCount) && !c.prober.probesSoon(dst) {
		c.pace.reserve(probesOfPort)
		c.prober.probe(dst, nearAndFar, false) // discover the other direction at once
	}
	if far && first {
		c.prober.probe(src, onlyNear, false) // and whether a bridge is in between
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

// lateProbe raises an alarm for an authentic probe that was not sent lately: somebody kept it. If
// the sent probes were cleared because the port went down, this instance has just started, or one
// of the switches was stalled (it deletes hundreds of ports), it may still have been in flight.
func (c *Core) lateProbe(src, dst *port, pr *probe) {
	wait := 2 * c.pace.period
	if c.now.Sub(src.sentCleared) <= wait || c.sinceStart() <= wait+startupGrace || c.cables.recentlySilent(src.device) ||
		c.cables.recentlySilent(dst.device) {
		return
	}
	c.raiseAlarm(netview.AlarmReplayedProbe, dst.at, "an old probe of %s came in", src.at)
}

// addLink returns the link between two ports, created if necessary: both ports get the role link.
func (c *Core) addLink(src, dst *port, near bool) *link {
	if e := src.linkTo(dst); e != nil {
		return e
	}
	e := c.links.add(src, dst, near, c.cables.notPluggedIn(src, dst))
	for _, p := range [...]*port{src, dst} {
		c.setRole(p, netview.PortLink)
		c.occupancy.clearAlarm(p)
	}
	return e
}

// removeLink takes a link down. A port without another link is re-evaluated. Its history keeps the
// link: until there is evidence that the other end is gone, it may be a link again.
func (c *Core) removeLink(e *link) {
	c.links.remove(e)
	for _, p := range [...]*port{e.src, e.dst} {
		switch {
		case len(p.in)+len(p.out) > 0:
			c.links.updateStates(p)
		case p.up && p.role == netview.PortLink:
			if e.unproven && e.near {
				c.cables.restoreEdge(p)
			}
			c.setUnknown(p)
			if p.device.connected {
				c.prober.start(p)
			}
		}
	}
}

// dueRound probes a segment's ports and removes links from there that are not heard any more.
func (c *Core) dueRound(r round) {
	d := c.devices[r.dpid]
	if d == nil || !d.created.Equal(r.created) {
		return
	}
	begin := r.segment * segmentPorts // rounds go on even while the segment has no ports
	if d.connected && begin == 0 {
		c.cables.countRound(d)
	}
	if d.connected && begin < len(d.ports) {
		for _, p := range d.ports[begin:min(begin+segmentPorts, len(d.ports))] {
			c.expireLinks(p)
			c.prober.round(p)
		}
	}
	c.prober.scheduleRound(d, r.segment, r.due)
}

// expireLinks removes the links from a port of which the last three periodic probes were not heard.
// Silence counts only while the sessions of both ends are up and both ends are heard, and while the
// control network is not suspected.
func (c *Core) expireLinks(p *port) {
	if c.control.suspected() {
		return
	}
	for i := 0; i < len(p.out); {
		e := p.out[i]
		if e.bothConnected() && e.missed >= missedProbes && e.bothHeardSinceMiss() {
			c.removeLink(e)
			continue
		}
		i++
	}
}

// frameSent notes whether a frame was really sent. A probe of a periodic round counts as missed
// until it is heard.
func (c *Core) frameSent(s *outgoing, ok bool) {
	if s.query != nil {
		c.queries.sent(s, ok)
		return
	}
	c.prober.sent(s, ok)
	p := c.port(s.at)
	if !ok || p == nil || !s.periodic || c.control.suspected() {
		return
	}
	for _, e := range p.out {
		if e.bothConnected() {
			e.missed++
			e.noteMiss()
		}
	}
}
