package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// sharedPath is a route, a path or a tree, with its users and its state. Each route exists once,
// however many intents use it.
type sharedPath struct {
	route       ruleset.Route // its ID is the index in pathRegistry.list
	treeEdges   *[]edge       // nil: a path, each hop leads to the next
	users       userList      // intents whose desired rule set uses it
	unconfirmed bool          // a link is unconfirmed, or unknown yet
	down        bool          // a link is down
	draining    bool          // a link is draining
	evaluatedOn *topology.Map // the map that the three before are of
	classes     classCounts   // of rules along it, including retiring ones
}

// edges returns the edges of a tree, nil for a path.
func (path *sharedPath) edges() []edge {
	if path.treeEdges == nil {
		return nil
	}
	return *path.treeEdges
}

// edge connects an output of a hop to another hop.
type edge struct {
	from, to int32 // hops
	out      uint32
}

// eachLink yields the links of a path.
func (path *sharedPath) eachLink(yield func(netview.LinkKey)) {
	path.eachEdge(func(j edge) {
		from, to := path.route.Hops[j.from], path.route.Hops[j.to]
		yield(netview.LinkKey{Src: netview.Point{DPID: from.DPID, Port: j.out}, Dst: netview.Point{DPID: to.DPID, Port: to.In}})
	})
}

// passes reports whether a path has a link.
func (path *sharedPath) passes(key netview.LinkKey) (found bool) {
	path.eachEdge(func(j edge) {
		from, to := path.route.Hops[j.from], path.route.Hops[j.to]
		found = found || j.out == key.Src.Port && from.DPID == key.Src.DPID && to.DPID == key.Dst.DPID && to.In == key.Dst.Port
	})
	return found
}

func (path *sharedPath) eachEdge(yield func(edge)) {
	for _, j := range path.edges() {
		yield(j)
	}
	if path.treeEdges != nil {
		return
	}
	for i := 0; i+1 < len(path.route.Hops); i++ {
		yield(edge{int32(i), int32(i + 1), path.route.Hops[i].Out[0]})
	}
}

// ingress reports whether packets enter at a hop.
func (path *sharedPath) ingress(hop int) bool {
	if path.treeEdges == nil {
		return hop == 0
	}
	return !slices.ContainsFunc(path.edges(), func(j edge) bool { return int(j.to) == hop })
}

// anyPort reports whether is returns true for a port that a path passes.
func (path *sharedPath) anyPort(is func(netview.Point) bool) bool {
	return slices.ContainsFunc(path.route.Hops, func(h *ruleset.Hop) bool {
		return is(netview.Point{DPID: h.DPID, Port: h.In}) ||
			slices.ContainsFunc(h.Out, func(out uint32) bool { return is(netview.Point{DPID: h.DPID, Port: out}) })
	})
}

// ranks returns for each hop the greatest number of hops after it.
func (path *sharedPath) ranks() []int {
	ranks, joins := make([]int, len(path.route.Hops)), path.edges()
	for range path.route.Hops { // hops are in topological order, so one round from the last is enough
		changed := false
		for i := len(joins) - 1; i >= 0; i-- {
			j := joins[i]
			if r := ranks[j.to] + 1; r > ranks[j.from] {
				ranks[j.from], changed = r, true
			}
		}
		if !changed {
			break
		}
	}
	if path.treeEdges == nil {
		for i := range ranks {
			ranks[i] = len(ranks) - 1 - i
		}
	}
	return ranks
}

// inlinePath is a path with its hops in the same allocation, as most are.
type inlinePath struct {
	sharedPath
	hops [inlineHops]*ruleset.Hop
}

const inlineHops = 6

// newPath returns a path with room for some hops.
func newPath(hops int) *sharedPath {
	if hops > inlineHops {
		return &sharedPath{route: ruleset.Route{Hops: make([]*ruleset.Hop, hops)}}
	}
	short := new(inlinePath)
	short.route.Hops = short.hops[:hops:hops]
	return &short.sharedPath
}

// evaluate updates the state of a path from a map, and returns its cost. Links that the map has
// never had count as unconfirmed until discovery has settled, so that decisions survive a restart.
func (r *pathRegistry) evaluate(path *sharedPath, m *topology.Map, settled bool) (cost topology.Cost) {
	path.unconfirmed, path.down, path.draining, path.evaluatedOn = false, false, false, m
	path.eachEdge(func(j edge) {
		from, to := path.route.Hops[j.from], path.route.Hops[j.to]
		l := r.inPorts.ofHop(to).linkFrom(netview.Point{DPID: from.DPID, Port: j.out}, m)
		switch {
		case !l.known && !settled:
			path.unconfirmed = true
			cost.Unconfirmed++
			return
		case !l.up:
			path.down = true
			return
		}
		path.unconfirmed = path.unconfirmed || l.cost.Unconfirmed > 0
		path.draining = path.draining || l.cost.Draining > 0
		cost = cost.Plus(l.cost)
	})
	return cost
}
