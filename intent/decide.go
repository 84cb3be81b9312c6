package intent

import (
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
)

// commit takes a content that is durable.
func (c *Core) commit(n uint32, content string) {
	e := c.entries.at(n)
	switch {
	case content == "":
		c.withdraw(n, e)
		return
	case content == e.content:
		c.tell(n, e, c.textOf(n, e))
		return
	case e.content != "":
		if e.has(adopted) { // what is replaced is known as what it is first
			c.revive(n, e)
		}
		c.unlisten(n, e)
		delete(c.refusals, n)
	}
	s := parsed(content)
	e.content, e.kind = content, s.Kind
	c.listen(n, &s)
	if ch := e.change; ch != nil && !ch.done && ch.how == planned {
		ch.again = true
		c.timers.push(c.now.Add(c.settings.Patience), n)
		c.show(n)
		return
	}
	if e.state == 0 {
		e.state = Submitted
	}
	c.decideOn(n, e, &s, asked)
}

// why is the reason of a decision.
type why uint8

const (
	asked  why = iota // the content is new
	broken            // what there is does not work
	better            // what there is works, and there is something better
)

// decide computes what an intent is to have, and begins the change to it.
func (c *Core) decide(n uint32, because why) {
	e := c.entries.at(n)
	s := parsed(e.content)
	c.decideOn(n, e, &s, because)
}

func (c *Core) decideOn(n uint32, e *entry, s *spec.Spec, because why) {
	g, p := c.compile(n, s, c.mapOf(n))
	if p.code == NoCode {
		p = c.obstacle(n, g)
	}
	switch {
	case p.code != NoCode:
		c.fail(n, e, p)
	case e.program != nil && sameProgram(e.program, g) && (e.change == nil || e.change.next == nil): // else it only led elsewhere
		c.show(n)
	case e.program == nil:
		c.counts.Installs++
		c.begin(n, g, fresh, nil)
	case because == asked && c.works(e):
		c.counts.Moves++
		c.move(n, e, g)
		if e.change != nil {
			e.change.asked = true
		}
		c.show(n)
	case e.change != nil && !e.change.done && e.change.how == fresh:
		c.begin(n, g, fresh, nil)
	default:
		c.counts.Reroutes++
		c.begin(n, g, urgent, nil)
	}
}

// works tells whether an intent's program is confirmed and its links are up, as far as is known.
func (c *Core) works(e *entry) bool {
	return e.program != nil && (e.change == nil || e.change.done) && !c.anyWay(e.program, func(w *way) bool { return w.down })
}

// anyWay tells whether something is true of a way of a program that is wanted.
func (c *Core) anyWay(g *program.Program, is func(*way) bool) bool {
	for i := range g.Legs {
		if (i == 0 || g.Legs[i].Route != g.Legs[i-1].Route) && is(c.routes.of(g.Legs[i].Route)) {
			return true
		}
	}
	return false
}

// sameProgram tells whether two programs have the same rules.
func sameProgram(a, b *program.Program) bool {
	return a.Priority == b.Priority && slices.EqualFunc(a.Legs, b.Legs, func(x, y program.Leg) bool {
		return x.Route == y.Route && string(x.Match) == string(y.Match)
	})
}

// again looks at an intent again: at what there is, or for what there was not.
func (c *Core) again(n uint32) {
	e := c.entries.at(n)
	uprooted := c.uprooted[n]
	delete(c.uprooted, n)
	switch {
	case e.content == "" || e.has(leaving):
	case e.has(adopted):
		c.revive(n, e)
	case e.program == nil:
		c.decide(n, asked)
	case uprooted:
		c.uproot(n, e)
	case c.anyWay(e.program, func(w *way) bool { return w.down }):
		c.detour(n, e)
	case c.moved(e):
		c.decide(n, broken)
	default:
		c.show(n)
	}
}

// detour moves an intent whose way is broken. Between two connect points the program itself says all that is needed.
func (c *Core) detour(n uint32, e *entry) {
	g := e.program
	if e.kind != spec.PointToPoint || e.change != nil || len(c.refusals) > 0 {
		c.decide(n, broken)
		return
	}
	hops := g.Legs[0].Route.Hops
	first, last := hops[0], hops[len(hops)-1]
	w, p := c.between(n, netview.Point{DPID: first.DPID, Port: first.In}, netview.Point{DPID: last.DPID, Port: last.Out[0]}, c.m)
	if p.code != NoCode {
		c.fail(n, e, p)
		return
	}
	c.legs = append(c.legs[:0], g.Legs...)
	for i := range c.legs {
		c.legs[i].Route = &w.route
	}
	next := program.Of(g.Kind, g.Number, g.Priority, c.legs...)
	if p := c.obstacle(n, next); p.code != NoCode {
		c.fail(n, e, p)
		return
	}
	c.counts.Reroutes++
	c.begin(n, next, urgent, nil)
}

// moved tells whether a host of an intent is known to be elsewhere.
func (c *Core) moved(e *entry) bool {
	if e.kind != spec.HostToHost {
		return false
	}
	s := parsed(e.content)
	hops := e.program.Legs[0].Route.Hops
	first, last := hops[0], hops[len(hops)-1]
	src, ok1 := c.snap.Host(s.Src[0].Host)
	dst, ok2 := c.snap.Host(s.Dst[0].Host)
	return ok1 && src.At != (netview.Point{DPID: first.DPID, Port: first.In}) ||
		ok2 && dst.At != (netview.Point{DPID: last.DPID, Port: last.Out[0]})
}

// withdraw begins the end of an intent: all its rules go at once.
func (c *Core) withdraw(n uint32, e *entry) {
	if e.content == "" || e.has(leaving) {
		return
	}
	c.counts.Withdrawals++
	c.unlisten(n, e)
	delete(c.refusals, n)
	if e.has(adopted) { // never ordered: what of it is in switches is nobody's, and goes as such
		e.program = nil
		c.adopting--
	}
	e.marks = e.marks&^adopted | leaving
	e.state, e.code = Withdrawing, NoCode
	if e.program != nil {
		c.begin(n, nil, urgent, nil)
	}
	if e.change == nil {
		c.gone(n, e)
		return
	}
	c.tell(n, e, "")
	for i := range e.change.past {
		if p := &e.change.past[i]; !p.ordered {
			p.due = c.now
		}
	}
	c.retire(n, e)
}

// gone ends an intent.
func (c *Core) gone(n uint32, e *entry) {
	if e.change != nil {
		c.uncount(e.change)
	}
	c.mark(n, e)
	*e = entry{marks: e.marks & (saved | unsaved)}
	delete(c.lost, n)
	c.updates = append(c.updates, Update{Number: n, Gone: true})
	c.unblock(n)
}

// listen notes what an intent depends on beside links.
func (c *Core) listen(n uint32, s *spec.Spec) {
	if s.Kind != spec.HostToHost {
		return
	}
	for _, id := range [...]netview.HostID{s.Src[0].Host, s.Dst[0].Host} {
		u := c.hosts[id]
		if u == nil {
			u = &users{}
			c.hosts[id] = u
		}
		u.add(n)
	}
}

func (c *Core) unlisten(n uint32, e *entry) {
	if e.kind != spec.HostToHost {
		return
	}
	s := parsed(e.content)
	for _, id := range [...]netview.HostID{s.Src[0].Host, s.Dst[0].Host} {
		u := c.hosts[id]
		u.remove(n, func(m uint32) bool { return m != n && c.ofHost(m, id) })
		if u.count() == 0 {
			delete(c.hosts, id)
		}
	}
}

// ofHost tells whether an intent is of a host.
func (c *Core) ofHost(n uint32, id netview.HostID) bool {
	e := c.entries.at(n)
	if e.content == "" || e.has(leaving) || e.kind != spec.HostToHost {
		return false
	}
	s := parsed(e.content)
	return s.Src[0].Host == id || s.Dst[0].Host == id
}
