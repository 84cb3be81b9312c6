package ruleset

import (
	"iter"
	"slices"

	"github.com/weirnet/weir/netview"
)

// Routes yields the routes of a set. Legs of one route follow each other, so each comes once.
func (s *Set) Routes() iter.Seq[*Route] {
	return func(yield func(*Route) bool) {
		for i := range s.Legs {
			if r := s.Legs[i].Route; (i == 0 || r != s.Legs[i-1].Route) && !yield(r) {
				return
			}
		}
	}
}

// Takes reports whether a set, which may be nil, has a leg along a route.
func (s *Set) Takes(r *Route) bool {
	return s != nil && slices.ContainsFunc(s.Legs, func(l Leg) bool { return l.Route == r })
}

// Passes reports whether a set, which may be nil, has a rule at a switch.
func (s *Set) Passes(dpid netview.DPID) bool {
	return s != nil && slices.ContainsFunc(s.Legs, func(l Leg) bool {
		return slices.ContainsFunc(l.Route.Hops, func(h *Hop) bool { return h.DPID == dpid })
	})
}
