package paths

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// Path is a route, a path or a tree, with its users and its state.
type Path struct {
	route       ruleset.Route // its ID is the number in Registry.paths
	treeEdges   *[]Edge       // nil: a path, each hop leads to the next
	users       Users         // intents whose desired rule set uses it
	unconfirmed bool          // a link is unconfirmed, or unknown yet
	down        bool          // a link is down
	draining    bool          // a link is draining
	evaluatedOn *topology.Map // the map that the three before are of
}

// Edge connects an output of a hop to another hop.
type Edge struct {
	From, To int32 // hops
	Out      uint32
}

// Route returns the route, which is what legs of rule sets have.
func (path *Path) Route() *ruleset.Route { return &path.route }

// IsTree reports whether it is a tree, which may have one branch only.
func (path *Path) IsTree() bool { return path.treeEdges != nil }

// Edges returns the edges of a tree, nil for a path.
func (path *Path) Edges() []Edge {
	if path.treeEdges == nil {
		return nil
	}
	return *path.treeEdges
}

// Users returns the intents whose desired rule set uses the path. It may have others, and some twice: who
// ranges over it checks each. It is not to be changed.
func (path *Path) Users() []uint32 { return path.users.list }

// Used reports whether it has users.
func (path *Path) Used() bool { return path.users.Count() > 0 }

// Down reports whether a link is down, as of the map that the path was last evaluated on. Unconfirmed
// and Draining are the same of links that are unconfirmed, or that the map has not had yet, and of those
// that drain.
func (path *Path) Down() bool { return path.down }

// Unconfirmed is described at Down.
func (path *Path) Unconfirmed() bool { return path.unconfirmed }

// Draining is described at Down.
func (path *Path) Draining() bool { return path.draining }

// EachLink yields the links of a path.
func (path *Path) EachLink(yield func(netview.LinkKey)) {
	path.EachEdge(func(j Edge) {
		from, to := path.route.Hops[j.From], path.route.Hops[j.To]
		yield(netview.LinkKey{Src: netview.Point{DPID: from.DPID, Port: j.Out}, Dst: netview.Point{DPID: to.DPID, Port: to.In}})
	})
}

// Passes reports whether a path has a link.
func (path *Path) Passes(key netview.LinkKey) (found bool) {
	path.EachEdge(func(j Edge) {
		from, to := path.route.Hops[j.From], path.route.Hops[j.To]
		found = found || j.Out == key.Src.Port && from.DPID == key.Src.DPID && to.DPID == key.Dst.DPID && to.In == key.Dst.Port
	})
	return found
}

// EachEdge yields the edges of a path or a tree.
func (path *Path) EachEdge(yield func(Edge)) {
	for _, j := range path.Edges() {
		yield(j)
	}
	if path.treeEdges != nil {
		return
	}
	for i := 0; i+1 < len(path.route.Hops); i++ {
		yield(Edge{int32(i), int32(i + 1), path.route.Hops[i].Out()[0]})
	}
}

// Ingress reports whether packets enter at a hop.
func (path *Path) Ingress(hop int) bool {
	if path.treeEdges == nil {
		return hop == 0
	}
	return !slices.ContainsFunc(path.Edges(), func(j Edge) bool { return int(j.To) == hop })
}

// AnyPort reports whether is returns true for a port that a path passes.
func (path *Path) AnyPort(is func(netview.Point) bool) bool {
	return slices.ContainsFunc(path.route.Hops, func(h *ruleset.Hop) bool {
		return is(netview.Point{DPID: h.DPID, Port: h.In}) ||
			slices.ContainsFunc(h.Out(), func(out uint32) bool { return is(netview.Point{DPID: h.DPID, Port: out}) })
	})
}

// Ranks returns for each hop the greatest number of hops after it.
func (path *Path) Ranks() []int {
	ranks, joins := make([]int, len(path.route.Hops)), path.Edges()
	for range path.route.Hops { // hops are in topological order, so one round from the last is enough
		changed := false
		for i := len(joins) - 1; i >= 0; i-- {
			j := joins[i]
			if r := ranks[j.To] + 1; r > ranks[j.From] {
				ranks[j.From], changed = r, true
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

// Follows reports whether a path has these hops, and no others.
func (path *Path) Follows(hops []topology.Hop) bool {
	return slices.EqualFunc(path.route.Hops, hops, func(h *ruleset.Hop, at topology.Hop) bool {
		out := h.Out()
		return h.DPID == at.DPID && h.In == at.In && out[0] == at.Out && len(out) == 1
	})
}

// Touches reports whether a path passes a port or, with port 0, a switch.
func (path *Path) Touches(at netview.Point) bool {
	return path.AnyPort(func(p netview.Point) bool { return p.DPID == at.DPID && (at.Port == 0 || p.Port == at.Port) })
}

// Ends reports whether a path begins or ends at a port or, with port 0, a switch.
func (path *Path) Ends(at netview.Point) bool {
	inner := make(map[netview.Point]bool) // ports to the next hop
	path.EachLink(func(k netview.LinkKey) { inner[k.Src] = true })
	for k, h := range path.route.Hops {
		if h.DPID != at.DPID {
			continue
		}
		if path.Ingress(k) && (at.Port == 0 || h.In == at.Port) {
			return true
		}
		for _, out := range h.Out() {
			if (at.Port == 0 || out == at.Port) && !inner[netview.Point{DPID: h.DPID, Port: out}] {
				return true
			}
		}
	}
	return false
}
