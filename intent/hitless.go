package intent

import (
	"bytes"
	"slices"

	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
)

// startHitless starts a transition without loss from a working rule set to another (pathing.Stages):
// rules match a port in, so packets neither are lost nor loop. A tree with several outputs uses its old
// and new branches together at first, or an egress would get no packets while some switches have
// changed and others have not. Where both together would loop, it changes as a path does.
// requested: because the content was replaced.
func (t *transitions) startHitless(n uint32, e *coreEntry, g *ruleset.Set, requested bool) {
	how := strategy{mode: hitless, requested: requested}
	if e.kind == spec.PointToMultipoint {
		if both := t.union(e.rules, g); both != nil {
			g, how.next = both, g
		}
	}
	t.start(n, g, how, t.stages(e.rules, g))
}

// stages returns the stage of each rule of a rule set in a transition from another.
func (t *transitions) stages(from, to *ruleset.Set) []uint16 {
	rules := make([]pathing.Rule, 0, to.Len())
	for i := range to.Legs {
		path := t.registry.Of(to.Legs[i].Route)
		for k, after := range path.Ranks()[:len(to.HopsOf(i))] {
			r := pathing.Rule{Ingress: path.Ingress(k), After: after}
			switch old := hopAt(to, len(rules), from); {
			case old != nil && old.Equal(path.Route().Hops[k]):
				r.Finds = pathing.Same
			case old != nil:
				r.Finds = pathing.Other
			}
			rules = append(rules, r)
		}
	}
	return pathing.Stages(rules)
}

// hopAt returns the hop of the rule of other in the same place as a rule of p; nil without one.
func hopAt(p *ruleset.Set, rule int, other *ruleset.Set) *ruleset.Hop {
	leg, hop := p.At(rule)
	if hop.Tag != 0 {
		for r := range other.Routes() {
			if h := hopIn(r, hop); h != nil {
				return h
			}
		}
		return nil
	}
	if same := legWith(other, p.Priority, leg.Match); same != nil {
		return hopIn(same.Route, hop)
	}
	return nil
}

// hopIn returns the hop of a route in the place of another, as far as hops say; nil without one.
func hopIn(r *ruleset.Route, hop *ruleset.Hop) *ruleset.Hop {
	for _, h := range r.Hops {
		if h.SamePlace(hop) {
			return h
		}
	}
	return nil
}

// rollBack reverses a hitless transition after a switch has refused a rule: replaced rules are
// restored in the opposite order. New content is decided again after that: it gets another path, or
// none. It reports whether the previous rule set can be restored.
func (t *transitions) rollBack(n uint32, e *coreEntry) bool {
	tr, g := e.transition, e.rules
	from := tr.retiring[len(tr.retiring)-1].rules
	if t.registry.Any(from, func(path *paths.Path) bool { return path == nil || path.Down() }) {
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
	t.start(n, &again, strategy{mode: hitless, requested: wanted, superseded: wanted}, stages)
	t.timers.Add(t.step.now.Add(pathing.StepTimeout), n)
	return true
}

// union returns a rule set with the outputs of both where both have a rule that differs; nil if
// that is not needed, or could create a loop.
func (t *transitions) union(from, to *ruleset.Set) *ruleset.Set {
	both := *to
	both.Legs = slices.Clone(to.Legs)
	differs := false
	for i := range to.Legs {
		path := t.registry.Of(to.Legs[i].Route)
		old := legWith(from, to.Priority, to.Legs[i].Match)
		if old == nil {
			continue
		}
		ow := t.registry.Of(old.Route)
		if ow == nil || ow == path || ow.Tagged() != path.Tagged() { // with tags and without them no rules but the first meet
			continue
		}
		if paths.CreatesLoop(path, ow) {
			return nil
		}
		if u := t.registry.Union(path, ow); u != path {
			both.Legs[i].Route, differs = u.Route(), true
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
