package discovery

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// heard handles an authentic probe that came in at a port. The error is ErrStale or ErrReplayed.
func (c *Core) heard(at netview.Point, pr probe) error {
	src, dst := c.port(pr.from), c.port(at)
	if src == nil || dst == nil || !src.up || !dst.up || !src.device.connected || !dst.device.connected {
		return ErrStale
	}
	r := c.round(src, pr.number)
	switch {
	case r == nil:
		return ErrStale
	case r.heard:
		return ErrReplayed
	}
	r.heard = true
	remember(src, dst)
	e := c.raiseEdge(src, dst)
	e.missed = 0
	c.transit(e, r)
	if e.heard++; e.heard == 2 {
		c.settleEarly(src.device)
		c.settleEarly(dst.device)
	}
	e.heard = min(e.heard, 2)
	if back := dst.edgeTo(src); back == nil || back.heard < e.heard {
		c.probe(dst, false) // find the other direction at once
	}
	return nil
}

// round finds a probe by its number if it was sent in this period or the last.
func (c *Core) round(p *port, number uint64) *probing {
	for i := range p.sent {
		if r := &p.sent[i]; r.number == number && !r.at.IsZero() && c.now.Sub(r.at) <= 2*c.cfg.Period {
			return r
		}
	}
	return nil
}

// edgeTo is the link from p to q, or nil.
func (p *port) edgeTo(q *port) *edge {
	if i := slices.IndexFunc(p.out, func(e *edge) bool { return e.dst == q }); i >= 0 {
		return p.out[i]
	}
	return nil
}

// raiseEdge finds the link between two ports, or makes it; it is up and confirmed then, and both ports are links' ports.
func (c *Core) raiseEdge(src, dst *port) *edge {
	key := netview.LinkKey{Src: src.at, Dst: dst.at}
	if e := src.edgeTo(dst); e != nil {
		c.putLink(key, true, netview.LinkConfirmed)
		return e
	}
	e := &edge{src: src, dst: dst}
	src.out = append(src.out, e)
	dst.in = append(dst.in, e)
	c.setRole(src, netview.PortLink)
	c.setRole(dst, netview.PortLink)
	c.putLink(key, true, netview.LinkConfirmed)
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
	for _, p := range [...]*port{e.src, e.dst} {
		if p.up && p.role == netview.PortLink && len(p.in) == 0 && len(p.out) == 0 {
			c.doubt(p)
			if p.device.connected {
				c.startProbing(p)
			}
		}
	}
}

// putLink writes a link's row if it is another than it was.
func (c *Core) putLink(key netview.LinkKey, up bool, state netview.LinkState) {
	since, measured := c.now, uint64(0)
	if old, ok := c.tx.Link(key); ok {
		if old.Up == up && old.State == state {
			return
		}
		if old.Up == up {
			since, measured = old.Since, old.MeasuredUS
		}
	}
	c.tx.PutLink(&netview.Link{LinkKey: key, Up: up, State: state, Since: since, MeasuredUS: measured})
}

// duePurge forgets a link that has been down since the appointment was made.
func (c *Core) duePurge(a appointment) {
	if row, ok := c.tx.Link(a.link); ok && !row.Up && row.Since.Equal(a.stamp) {
		c.tx.DeleteLink(a.link)
	}
}
