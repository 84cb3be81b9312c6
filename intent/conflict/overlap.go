package conflict

import (
	"slices"

	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// overlapping returns another intent with a rule of the same priority at one in port that may match
// the same packets as a rule set, and the port; 0 without one.
func (x *Index) overlapping(g *ruleset.Set) (who uint32, place netview.Point) {
	for i := range g.Legs {
		of, own := classOf(g, i), x.registry.Of(g.Legs[i].Route)
		if len(x.searched) > 0 {
			clear(x.searched)
		}
		for k, h := range matching(own.Route()) {
			if !x.classes.othersMayOverlap(*x.byPort.At(h.ID), of, own.Ingress(k)) {
				continue
			}
			if who := x.overlappingAt(g, i, h); who != 0 {
				return who, netview.Point{DPID: h.DPID, Port: h.In}
			}
		}
	}
	return 0, netview.Point{}
}

// overlappingAt checks the paths that come in by the port of a hop, that have not been checked for this leg.
func (x *Index) overlappingAt(g *ruleset.Set, leg int, at *ruleset.Hop) (who uint32) {
	of, match, own := classOf(g, leg), g.Legs[leg].Match, x.registry.Of(g.Legs[leg].Route)
	for _, id := range x.registry.Into(at) {
		path := x.registry.At(id)
		if x.searched[id] || path.Tagged() && !hasAt(path, at.ID) || !x.classes.othersMayOverlap(*x.byPath.At(id), of, true) {
			continue
		}
		x.searched[id] = true
		x.searches++
		meet := !of.shape.Source || meetAtIngress(own, path)
		x.registry.EachHolder(path, func(n uint32) bool {
			if n != g.Number && x.overlaps(n, path.Route(), g.Priority, match, meet) {
				who = n
			}
			return who == 0
		})
		if who != 0 {
			return who
		}
	}
	return 0
}

// matching returns the hops of a route at which rules match what its legs do: not those that know packets by a tag, which
// nobody else's rules match.
func matching(r *ruleset.Route) []*ruleset.Hop {
	if r.Entries > 0 {
		return r.Hops[:r.Entries]
	}
	return r.Hops
}

// hasAt reports whether a path has a rule that matches what its legs do at a port.
func hasAt(path *paths.Path, spot uint32) bool {
	return slices.ContainsFunc(matching(path.Route()), func(h *ruleset.Hop) bool { return h.ID == spot })
}

// meetAtIngress reports whether two paths have an ingress port in common.
func meetAtIngress(v, path *paths.Path) bool {
	for i, h := range v.Route().Hops {
		if v.Ingress(i) && enters(path, h.ID) {
			return true
		}
	}
	return false
}

func enters(path *paths.Path, spot uint32) bool {
	k := slices.IndexFunc(path.Route().Hops, func(h *ruleset.Hop) bool { return h.ID == spot })
	return k >= 0 && path.Ingress(k)
}

// overlaps reports whether an intent has a rule along a route, in a priority, whose match differs
// from a match and overlaps it. Unless the two meet at an ingress, only a match that does not fix
// the sender counts.
func (x *Index) overlaps(n uint32, r *ruleset.Route, priority uint16, match []byte, meet bool) bool {
	for g := range x.sets(n) {
		if overlapsIn(g, r, priority, match, meet) {
			return true
		}
	}
	return false
}

func overlapsIn(g *ruleset.Set, r *ruleset.Route, priority uint16, match []byte, meet bool) bool {
	return g.Priority == priority && slices.ContainsFunc(g.Legs, func(l ruleset.Leg) bool {
		return l.Route == r && string(l.Match) != string(match) && (meet || !ShapeOf(l.Match).Source) &&
			(openflow.Match{OXM: l.Match}).Overlaps(openflow.Match{OXM: match})
	})
}
