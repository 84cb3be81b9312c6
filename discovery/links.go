package discovery

import (
	"fmt"
	"slices"

	"github.com/weirnet/weir/netview"
)

// heard handles an authentic probe that came in at a port. The error is ErrStale, ErrReplayed or ErrAtHost.
func (c *Core) heard(at netview.Point, pr probe) error {
	src, dst := c.port(pr.from), c.port(at)
	if src == nil || dst == nil || !src.up || !dst.up || !src.device.connected || !dst.device.connected {
		return ErrStale
	}
	s := c.sentAs(src, &pr)
	if s == nil {
		c.late(src, dst, &pr)
		return ErrStale
	}
	switch {
	case s.at < dst.came: // to the port that had this number before
		return ErrStale
	case s.first == nil:
		s.first = dst
	case s.first == dst:
		c.raise(netview.AlarmReplayedProbe, at, "the same probe of %s came in twice", src.at)
		return ErrReplayed
	default: // a segment of more than two ports, or somebody took it off a cable
		if e := src.edgeTo(s.first); e == nil || e.near && !e.shared() {
			c.raise(netview.AlarmReplayedProbe, at, "a probe of %s came in that had come in at %s already", src.at, s.first.at)
		}
		c.block(dst)
		return ErrReplayed
	}
	if src.edgeTo(dst) == nil {
		if err := c.forbidden(src, dst); err != nil {
			return err
		}
		if len(src.out) >= maxShared || len(dst.in) >= maxShared {
			c.block(dst)
			return nil
		}
		if c.astray(src, dst) {
			return nil
		}
	}
	c.refresh(c.raiseEdge(src, dst, !pr.far), s, pr.far)
	return nil
}

// refresh notes that a link was heard, by a near or a far probe, and asks for what is not known of it yet. A far probe
// says nothing of a link along which near ones pass; only when they have not for some time is it another link.
func (c *Core) refresh(e *edge, s *probing, far bool) {
	src, dst, was := e.src, e.dst, e.near
	remember(src, dst)
	c.pace.heard(c.since()-s.at, c.now)
	e.missed, e.last = 0, c.now
	if !far && !e.unproven {
		prove(e)
	}
	if !far {
		e.near, e.fars = true, 0
	} else if e.fars < surelyFar {
		e.fars++
	}
	if far && e.near {
		if e.fars < surelyFar {
			return
		}
		e.near = false
	}
	c.transit(e, s)
	first := e.heard == 0
	if first && !far {
		c.dropReplaced(e)
	}
	if e.heard++; e.heard == 2 {
		c.settleEarly(src.device)
		c.settleEarly(dst.device)
	}
	e.heard = min(e.heard, 2)
	if first || was != e.near || far && e.told == "" {
		c.restate(src, dst)
	} else {
		c.putLink(e.key(), true, e.state())
	}
	if back := dst.edgeTo(src); (back == nil || back.heard < e.heard) && !c.probesSoon(dst) {
		c.pace.turn(probesOfPort, c.now)
		c.probe(dst, nearAndFar, false) // find the other direction at once
	}
	if far && first {
		c.probe(src, onlyNear, false) // and whether there is something in between
	}
}

// dropReplaced takes down the links at a cable's ends that have not been heard since their sessions are there, and those whose
// other end has no session: a near probe has just come in from elsewhere, so the cable leads there now. A switch that gets
// another datapath id looks like this to its neighbours.
func (c *Core) dropReplaced(e *edge) {
	for _, p := range [...]*port{e.src, e.dst} {
		for _, o := range p.edges() {
			if (o.heard == 0 || !o.live()) && (o.src != e.src && o.src != e.dst || o.dst != e.src && o.dst != e.dst) {
				c.dropEdge(o)
				c.inherits(p.beyond(o).device, p.beyond(e).device)
			}
		}
	}
}

// beyond is the other end of a port's link.
func (p *port) beyond(e *edge) *port { return p.other(e.src, e.dst) }

// dropSuperseded takes down the links of a switch that lost its session whose cable was found to lead elsewhere before
// that was noticed: the other end was heard from another port since it was heard from this one for the last time.
func (c *Core) dropSuperseded(d *device) {
	for _, p := range d.ports {
		for _, e := range p.edges() {
			q, edges := p.beyond(e), p.beyond(e).edges()
			if i := slices.IndexFunc(edges, func(o *edge) bool { return o.near && o.live() && o.heard > 0 && o.born.After(e.last) }); i >= 0 {
				c.dropEdge(e)
				c.inherits(d, q.beyond(edges[i]).device)
			}
		}
	}
}

// sentAs finds a probe if it was sent in this period or the last.
func (c *Core) sentAs(p *port, pr *probe) *probing {
	for i := 0; p.sent != nil && i < len(p.sent); i++ {
		if s := &p.sent[i]; s.number == pr.number && s.at != 0 && c.since()-s.at <= 2*c.cfg.Period {
			return s
		}
	}
	return nil
}

// late raises an alarm for a probe that is authentic and was not sent lately: somebody kept it. Where a port's probes
// were forgotten because it went, this instance has just started, or one of the switches stood still (it deletes hundreds of ports), it
// may still have been on the way.
func (c *Core) late(src, dst *port, pr *probe) {
	wait := 2 * c.cfg.Period
	if c.now.Sub(src.forgot) <= wait || c.since() <= wait+keepSilent || c.stoodStill(src.device) || c.stoodStill(dst.device) {
		return
	}
	c.raise(netview.AlarmReplayedProbe, dst.at, "an old probe of %s came in", src.at)
}

// edgeTo is the link from p to q, or nil.
func (p *port) edgeTo(q *port) *edge {
	if i := slices.IndexFunc(p.out, func(e *edge) bool { return e.dst == q }); i >= 0 {
		return p.out[i]
	}
	return nil
}

// raiseEdge finds the link between two ports, or makes it: both ports are links' ports then.
func (c *Core) raiseEdge(src, dst *port, near bool) *edge {
	if e := src.edgeTo(dst); e != nil {
		return e
	}
	e := &edge{src: src, dst: dst, near: near, born: c.now, unproven: c.unplugged(src, dst)}
	src.out = append(src.out, e)
	dst.in = append(dst.in, e)
	for _, p := range [...]*port{src, dst} {
		c.setRole(p, netview.PortLink)
		c.endAtHost(p)
	}
	return e
}

// dropEdge takes a link down. A port that has no other is looked at anew. It remembers the link: until there is evidence
// that the other end is not there any more, it may be a link again.
func (c *Core) dropEdge(e *edge) {
	e.src.out = slices.DeleteFunc(e.src.out, func(o *edge) bool { return o == e })
	e.dst.in = slices.DeleteFunc(e.dst.in, func(o *edge) bool { return o == e })
	row, _ := c.tx.Link(e.key())
	c.putLink(e.key(), false, row.State)
	c.agenda.add(appointment{at: c.now.Add(keepDown), duty: dutyPurge, link: e.key(), stamp: c.now})
	c.endIndirect(e)
	for _, p := range [...]*port{e.src, e.dst} {
		switch {
		case len(p.in)+len(p.out) > 0:
			c.restate(p)
		case p.up && p.role == netview.PortLink:
			if e.unproven && e.near {
				c.disbelieve(p)
			}
			c.doubt(p)
			if p.device.connected {
				c.startProbing(p)
			}
		}
	}
}

// putLink writes a link's row if it is another than it was.
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

// duePurge forgets a link that has been down since the appointment was made.
func (c *Core) duePurge(a appointment) {
	if row, ok := c.tx.Link(a.link); ok && !row.Up && row.Since.Equal(a.stamp) {
		c.tx.DeleteLink(a.link)
	}
}

// raise tells of an attack, or what looks like one, at a port.
func (c *Core) raise(kind netview.AlarmKind, at netview.Point, format string, args ...any) {
	if c.cfg.Alarms != nil {
		c.cfg.Alarms.Raise(kind, at.String(), fmt.Sprintf(format, args...))
	}
}
