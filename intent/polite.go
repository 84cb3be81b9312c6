package intent

import (
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
)

// move begins a change from a program that works to another without loss: first the rules in places where there was none, at once; then those that
// change what is in their place, from the egress to the ingress, each when what comes after it is confirmed; last the places where packets of a
// new match or at a new port come in. A packet takes the old head and the new tail: from a rule that has changed on it follows the new way to its end,
// before that the old one, so it is neither lost nor does it go round.
//
// A tree with several outputs first goes by both its old and its new branches, or an egress would be without packets while the outputs of one switch have changed
// and those of another have not; where both together would go round, it changes as a path does.
func (c *Core) move(n uint32, e *entry, g *program.Program) {
	if e.kind == spec.PointToMultipoint {
		if both := c.united(e.program, g); both != nil {
			c.begin(n, both, planned, c.stages(e.program, both))
			if ch := e.change; ch != nil {
				ch.next = g
				c.uniting++
			}
			return
		}
	}
	c.begin(n, g, planned, c.stages(e.program, g))
}

// stages says of each rule of a program when it is ordered in a change from another.
func (c *Core) stages(from, to *program.Program) []uint16 {
	rank := make([]int, to.Len()) // -1: at once
	rule, most := 0, 0
	for i := range to.Legs {
		w := c.routes.of(to.Legs[i].Route)
		ranks := w.ranks()
		most = max(most, slices.Max(ranks))
		for k := range ranks {
			rank[rule] = -1
			switch old := inPlaceOf(to, rule, from); {
			case old == nil && w.ingress(k):
				rank[rule] = 1 << 20
			case old != nil && !old.Equal(w.route.Hops[k]):
				rank[rule] = ranks[k]
			}
			rule++
		}
	}
	distinct := slices.Clone(rank)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if len(distinct) > 0 && distinct[0] == -1 {
		distinct = distinct[1:]
	}
	stages := make([]uint16, len(rank))
	for r := range rank {
		if rank[r] >= 0 {
			at, _ := slices.BinarySearch(distinct, rank[r])
			stages[r] = uint16(at + 1)
		}
	}
	return stages
}

// inPlaceOf is the hop of the rule that another program has in a rule's place; nil without one.
func inPlaceOf(p *program.Program, rule int, other *program.Program) *program.Hop {
	if p.Priority != other.Priority {
		return nil
	}
	leg, hop := p.At(rule)
	for i := range other.Legs {
		if string(other.Legs[i].Match) != string(leg.Match) {
			continue
		}
		for k := range other.Legs[i].Route.Hops {
			if h := other.Legs[i].Route.Hops[k]; h.DPID == hop.DPID && h.In == hop.In {
				return h
			}
		}
	}
	return nil
}

// back turns a planned change round that a switch has refused a part of: what was changed is changed back, in the opposite order.
func (c *Core) back(n uint32, e *entry) bool {
	ch, g := e.change, e.program
	from := ch.past[len(ch.past)-1].program
	if c.forgotten(from) || c.anyWay(from, func(w *way) bool { return w.down }) {
		return false
	}
	again := *from
	stages := make([]uint16, from.Len())
	at := ch.stage
	for r := range g.Len() {
		if s := ch.stages[r]; s > 0 && s <= at {
			for o := range stages {
				if from.SamePlace(o, g, r) {
					stages[o] = at - s
				}
			}
		}
	}
	c.begin(n, &again, planned, stages)
	return true
}

// forgotten tells whether a way of a program is not known any more.
func (c *Core) forgotten(g *program.Program) bool {
	return slices.ContainsFunc(g.Legs, func(l program.Leg) bool { return c.routes.of(l.Route) == nil })
}

// united is a program with the outputs of two where both have a rule that differs; nil if that is not needed, or packets could go round.
func (c *Core) united(from, to *program.Program) *program.Program {
	both := *to
	both.Legs = slices.Clone(to.Legs)
	differs := false
	for i := range to.Legs {
		w := c.routes.of(to.Legs[i].Route)
		old := legOf(from, to, i)
		if old == nil {
			continue
		}
		ow := c.routes.of(old.Route)
		if ow == nil || ow == w {
			continue
		}
		if goesRound(w, ow) {
			return nil
		}
		if u := c.withOutputs(w, ow); u != w {
			both.Legs[i].Route, differs = &u.route, true
		}
	}
	if !differs {
		return nil
	}
	return &both
}

// legOf is the leg of another program with the match of a leg.
func legOf(from, to *program.Program, i int) *program.Leg {
	if from.Priority != to.Priority {
		return nil
	}
	for k := range from.Legs {
		if string(from.Legs[k].Match) == string(to.Legs[i].Match) {
			return &from.Legs[k]
		}
	}
	return nil
}

// withOutputs is a way with the outputs of another besides, where both have a hop in one place.
func (c *Core) withOutputs(w, other *way) *way {
	hops, joins := slices.Clone(w.route.Hops), slices.Clone(w.joins)
	differs := false
	for i := range hops {
		for k := range other.route.Hops {
			o := other.route.Hops[k]
			if o.DPID != hops[i].DPID || o.In != hops[i].In || o.Equal(hops[i]) {
				continue
			}
			outs := slices.Clone(hops[i].Out)
			for _, port := range o.Out {
				outs = inserted(outs, port)
			}
			if len(outs) > len(hops[i].Out) {
				hops[i], differs = &program.Hop{DPID: o.DPID, In: o.In, Out: outs}, true
			}
		}
	}
	if !differs {
		return w
	}
	return c.routes.ofTree(hops, joins)
}

// goesRound tells whether a packet could go round if all hops of two ways forwarded it.
func goesRound(a, b *way) bool {
	next := make(map[netview.Point][]netview.Point)
	for _, w := range [...]*way{a, b} {
		w.eachJoin(func(j join) {
			from, to := w.route.Hops[j.from], w.route.Hops[j.to]
			at := netview.Point{DPID: from.DPID, Port: from.In}
			next[at] = append(next[at], netview.Point{DPID: to.DPID, Port: to.In})
		})
	}
	state := make(map[netview.Point]int) // 1: on the way that is followed, 2: no round from here
	var round func(netview.Point) bool
	round = func(at netview.Point) bool {
		switch state[at] {
		case 1:
			return true
		case 2:
			return false
		}
		state[at] = 1
		if slices.ContainsFunc(next[at], round) {
			return true
		}
		state[at] = 2
		return false
	}
	for _, w := range [...]*way{a, b} {
		for i := range w.route.Hops {
			if round(netview.Point{DPID: w.route.Hops[i].DPID, Port: w.route.Hops[i].In}) {
				return true
			}
		}
	}
	return false
}
