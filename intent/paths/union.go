package paths

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// Union returns a path with the outputs of another added, where both have a hop at one in
// port.
func (r *Registry) Union(path, other *Path) *Path {
	hops, edges := slices.Clone(path.route.Hops), slices.Clone(path.Edges())
	differs := false
	for i := range hops {
		for k := range other.route.Hops {
			o := other.route.Hops[k]
			if !o.SamePlace(hops[i]) || o.Equal(hops[i]) {
				continue
			}
			if both := hops[i].Joined(o); both != nil {
				hops[i], differs = both, true
			}
		}
	}
	if !differs {
		return path
	}
	return r.same(&Path{route: ruleset.Route{Hops: hops, Entries: path.route.Entries}, treeEdges: &edges})
}

// CreatesLoop reports whether a packet could loop if all hops of both paths forwarded it.
func CreatesLoop(a, b *Path) bool {
	next := make(map[netview.Point][]netview.Point)
	for _, path := range [...]*Path{a, b} {
		path.EachEdge(func(j Edge) {
			from, to := path.route.Hops[j.From], path.route.Hops[j.To]
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
	for _, path := range [...]*Path{a, b} {
		for i := range path.route.Hops {
			if round(netview.Point{DPID: path.route.Hops[i].DPID, Port: path.route.Hops[i].In}) {
				return true
			}
		}
	}
	return false
}
