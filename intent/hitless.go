package intent

import (
	"bytes"
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
)

// startHitless starts a transition without loss from a working rule set to another (pathing.Stages):
// rules match a port in, so packets neither are lost nor loop. A tree with several outputs uses its old
// and new branches together at first, or an egress would get no packets while some switches have
// changed and others have not. Where both together would loop, it changes as a path does.
// requested: because the content was replaced.
func (c *Core) startHitless(n uint32, e *coreEntry, g *ruleset.Set, requested bool) {
	how := strategy{mode: hitless, requested: requested}
	if e.kind == spec.PointToMultipoint {
		if both := c.union(e.rules, g); both != nil {
			g, how.next = both, g
		}
	}
	c.startTransition(n, g, how, c.stages(e.rules, g))
}

// stages returns the stage of each rule of a rule set in a transition from another.
func (c *Core) stages(from, to *ruleset.Set) []uint16 {
	rules := make([]pathing.Rule, 0, to.Len())
	for i := range to.Legs {
		path := c.paths.forRoute(to.Legs[i].Route)
		for k, after := range path.ranks() {
			r := pathing.Rule{Ingress: path.ingress(k), After: after}
			switch old := hopAt(to, len(rules), from); {
			case old != nil && old.Equal(path.route.Hops[k]):
				r.Finds = pathing.Same
			case old != nil:
				r.Finds = pathing.Other
			}
			rules = append(rules, r)
		}
	}
	return pathing.Stages(rules)
}

// hopAt returns the hop of the rule of other with the same key as a rule of p; nil without one.
func hopAt(p *ruleset.Set, rule int, other *ruleset.Set) *ruleset.Hop {
	leg, hop := p.At(rule)
	if same := legWith(other, p.Priority, leg.Match); same != nil {
		for _, h := range same.Route.Hops {
			if h.DPID == hop.DPID && h.In == hop.In {
				return h
			}
		}
	}
	return nil
}

// rollBack reverses a hitless transition after a switch has refused a rule: replaced rules are
// restored in the opposite order. New content is decided again after that: it gets another path, or
// none. It reports whether the previous rule set can be restored.
func (c *Core) rollBack(n uint32, e *coreEntry) bool {
	tr, g := e.transition, e.rules
	from := tr.retiring[len(tr.retiring)-1].rules
	if c.pathForgotten(from) || c.anyPath(from, func(path *sharedPath) bool { return path.down }) {
		return false
	}
	again := *from
	stages := make([]uint16, from.Len())
	at := tr.Stage()
	for r := range g.Len() {
		if s := tr.StageOf(r, false); s > 0 && s <= at {
			for o := range stages {
				if from.SamePlace(o, g, r) {
					stages[o] = at - s
				}
			}
		}
	}
	wanted := tr.requested || tr.superseded
	c.startTransition(n, &again, strategy{mode: hitless, requested: wanted, superseded: wanted}, stages)
	c.timers.Add(c.now.Add(pathing.StepTimeout), n)
	return true
}

// pathForgotten reports whether the registry has dropped a path of a rule set.
func (c *Core) pathForgotten(g *ruleset.Set) bool {
	return slices.ContainsFunc(g.Legs, func(l ruleset.Leg) bool { return c.paths.forRoute(l.Route) == nil })
}

// union returns a rule set with the outputs of both where both have a rule that differs; nil if
// that is not needed, or could create a loop.
func (c *Core) union(from, to *ruleset.Set) *ruleset.Set {
	both := *to
	both.Legs = slices.Clone(to.Legs)
	differs := false
	for i := range to.Legs {
		path := c.paths.forRoute(to.Legs[i].Route)
		old := legWith(from, to.Priority, to.Legs[i].Match)
		if old == nil {
			continue
		}
		ow := c.paths.forRoute(old.Route)
		if ow == nil || ow == path {
			continue
		}
		if createsLoop(path, ow) {
			return nil
		}
		if u := c.withOutputs(path, ow); u != path {
			both.Legs[i].Route, differs = &u.route, true
		}
	}
	if !differs {
		return nil
	}
	return &both
}

// legWith returns the leg of a rule set with a priority and match; nil without one.
func legWith(g *ruleset.Set, priority uint16, match []byte) *ruleset.Leg {
	for i := range g.Legs {
		if g.Priority == priority && bytes.Equal(g.Legs[i].Match, match) {
			return &g.Legs[i]
		}
	}
	return nil
}

// withOutputs returns a path with the outputs of another added, where both have a hop at one in
// port.
func (c *Core) withOutputs(path, other *sharedPath) *sharedPath {
	hops, joins := slices.Clone(path.route.Hops), slices.Clone(path.edges())
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
				hops[i], differs = &ruleset.Hop{DPID: o.DPID, In: o.In, Out: outs}, true
			}
		}
	}
	if !differs {
		return path
	}
	return c.paths.forTree(hops, joins)
}

// createsLoop reports whether a packet could loop if all hops of both paths forwarded it.
func createsLoop(a, b *sharedPath) bool {
	next := make(map[netview.Point][]netview.Point)
	for _, path := range [...]*sharedPath{a, b} {
		path.eachEdge(func(j edge) {
			from, to := path.route.Hops[j.from], path.route.Hops[j.to]
			at := netview.Point{DPID: from.DPID, Port: from.In}
			next[at] = append(next[at], netview.Point{DPID: to.DPID, Port: to.In})
		})
	}
	state := make(map[netview.Point]int) // 1: being visited, 2: no loop from here
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
	for _, path := range [...]*sharedPath{a, b} {
		for i := range path.route.Hops {
			if round(netview.Point{DPID: path.route.Hops[i].DPID, Port: path.route.Hops[i].In}) {
				return true
			}
		}
	}
	return false
}
