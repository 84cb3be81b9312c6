package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/program"
)

// Two rules of one priority in one place whose matches differ and overlap: which has a packet of both the switch decides (OpenFlow 1.3.5 section 5.3). So no
// two intents have such rules out, if there may be a packet of both: both take it in at one port, or one does not fix who sends (as wide intents). Two
// that fix it and take packets in at different ports share none, whatever their matches: ipv4_src of one host, and eth_src of another.
//
// Matches with the same fields and masks, as most have, either are the same (places.go) or have no packet in common; so only where matches of several
// shapes meet anything is searched.

// shape is which bits a match looks at. Matches of one shape are equal, or have no packet in common.
type shape struct {
	fields uint64 // by number
	masks  uint64 // hash of the fields with masks and of these; 0 without any
	source bool   // it fixes who sends, by the two before
}

const sourceFields = 1<<openflow.FieldEthSrc | 1<<openflow.FieldIPv4Src | 1<<openflow.FieldIPv6Src | 1<<openflow.FieldARPSPA

// shapeOf is the shape of a canonical match.
func shapeOf(match []byte) (s shape) {
	for rest := match; len(rest) > 0; {
		n := 4 + int(rest[3])
		field := uint64(1) << (rest[2] >> 1 & 63)
		s.fields |= field
		if rest[2]&1 == 0 {
			s.source = s.source || field&sourceFields != 0
		} else {
			s.masks = mixed(s.masks, uint64(rest[2]))
			for _, b := range rest[4+(n-4)/2 : n] {
				s.masks = mixed(s.masks, uint64(b))
			}
		}
		rest = rest[n:]
	}
	return s
}

// tally counts what has a priority and a shape.
type tally struct {
	priority uint16
	count    uint32
	shape    shape
}

// tallies count the rules of one way, or the ways through one place that have such rules. Most have one.
type tallies []tally

// add reports whether it is the first of its kind.
func (t *tallies) add(priority uint16, s shape) bool {
	for i := range *t {
		if k := &(*t)[i]; k.priority == priority && k.shape == s {
			k.count++
			return false
		}
	}
	*t = append(*t, tally{priority, 1, s})
	return true
}

// remove reports whether it was the last of its kind.
func (t *tallies) remove(priority uint16, s shape) bool {
	for i := range *t {
		if k := &(*t)[i]; k.priority == priority && k.shape == s {
			if k.count--; k.count == 0 {
				*t = slices.Delete(*t, i, i+1)
				return true
			}
			return false
		}
	}
	return false
}

// others reports whether there is a rule of a priority and of another shape that may have packets of one; ingress: also if both fix who sends.
func (t tallies) others(priority uint16, s shape, ingress bool) bool {
	for i := range t {
		if k := &t[i]; k.priority == priority && k.shape != s && (ingress || !s.source || !k.shape.source) {
			return true
		}
	}
	return false
}

// spot is a place of rules, of whatever match: a switch and a port in.
type spot struct {
	at      netview.Point
	ways    []*way // that pass it
	tallies tallies
}

// occupy notes a program of an intent that holds places from now on.
func (c *Core) occupy(n uint32, e *entry, g *program.Program) {
	c.eachShape(g, (*tallies).add)
	c.eachRoute(g, func(r *program.Route) {
		if e.change == nil || !holdsRoute(e.change.past, r) {
			c.routes.of(r).holders.add(n)
		}
	})
}

// vacate forgets a program whose rules are gone; others are the programs of the intent that go besides.
func (c *Core) vacate(n uint32, e *entry, g *program.Program, others ...[]past) {
	c.eachShape(g, (*tallies).remove)
	c.eachRoute(g, func(r *program.Route) {
		if takes(e.program, r) || slices.ContainsFunc(others, func(list []past) bool { return holdsRoute(list, r) }) {
			return
		}
		c.routes.of(r).holders.remove(n, func(m uint32) bool { return m != n && c.holdsWay(m, r) })
	})
}

// eachShape counts the rules of a program at their ways, and each way that begins or ceases to have such rules at its spots.
func (c *Core) eachShape(g *program.Program, do func(*tallies, uint16, shape) bool) {
	for i := range g.Legs {
		s, w := shapeOf(g.Legs[i].Match), c.routes.of(g.Legs[i].Route)
		if !do(&w.tallies, g.Priority, s) {
			continue
		}
		for _, at := range w.spots {
			do(&at.tallies, g.Priority, s)
		}
	}
}

func (c *Core) eachRoute(g *program.Program, do func(*program.Route)) {
	for i := range g.Legs {
		if i == 0 || g.Legs[i].Route != g.Legs[i-1].Route {
			do(g.Legs[i].Route)
		}
	}
}

func holdsRoute(list []past, r *program.Route) bool {
	return slices.ContainsFunc(list, func(p past) bool { return takes(p.program, r) })
}

// holdsWay reports whether an intent has, or is leaving, a program along a route.
func (c *Core) holdsWay(n uint32, r *program.Route) bool {
	e := c.entries.at(n)
	return takes(e.program, r) && !e.has(adopted) || e.change != nil && holdsRoute(e.change.past, r)
}

// overlapping finds another intent with a rule of the same priority that may have packets of a program's in a place of both, and the place; 0 without one.
func (c *Core) overlapping(g *program.Program) (who uint32, place netview.Point) {
	for i := range g.Legs {
		leg := &g.Legs[i]
		s, own := shapeOf(leg.Match), c.routes.of(leg.Route)
		c.searches++
		for k, at := range own.spots {
			if !at.tallies.others(g.Priority, s, own.ingress(k)) {
				continue
			}
			for _, w := range at.ways {
				if w.searched == c.searches || !w.tallies.others(g.Priority, s, true) {
					continue
				}
				w.searched = c.searches
				meet := !s.source || meetAtIngress(own, w)
				for _, n := range w.holders.list {
					if n != g.Number && c.overlaps(n, &w.route, g.Priority, leg.Match, meet) {
						return n, at.at
					}
				}
			}
		}
	}
	return 0, netview.Point{}
}

// meetAtIngress reports whether packets come to two ways at one port.
func meetAtIngress(v, w *way) bool {
	for i, at := range v.spots {
		if v.ingress(i) && enters(w, at) {
			return true
		}
	}
	return false
}

func enters(w *way, at *spot) bool {
	k := slices.Index(w.spots, at)
	return k >= 0 && w.ingress(k)
}

// overlaps reports whether an intent has a rule along a route, in a priority, whose match differs from one and overlaps it. If the two do not meet, only
// one that does not fix who sends counts.
func (c *Core) overlaps(n uint32, r *program.Route, priority uint16, match []byte, meet bool) bool {
	e := c.entries.at(n)
	if e.program != nil && !e.has(adopted) && overlapsIn(e.program, r, priority, match, meet) {
		return true
	}
	return e.change != nil && slices.ContainsFunc(e.change.past, func(p past) bool { return overlapsIn(p.program, r, priority, match, meet) })
}

func overlapsIn(g *program.Program, r *program.Route, priority uint16, match []byte, meet bool) bool {
	return g.Priority == priority && slices.ContainsFunc(g.Legs, func(l program.Leg) bool {
		return l.Route == r && string(l.Match) != string(match) && (meet || !shapeOf(l.Match).source) &&
			(openflow.Match{OXM: l.Match}).Overlaps(openflow.Match{OXM: match})
	})
}
