package topology

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
)

// PathCost is the cost of a path in a map.
type PathCost struct {
	Cost        uint64 // with the penalties of its links
	Draining    bool   // a link of it is draining
	Unconfirmed bool   // a link of it is unconfirmed
}

// PathCost adds up a path link by link. It returns false if one of them cannot be used.
func (m *Map) PathCost(hops []Hop) (PathCost, bool) {
	var w PathCost
	for i := 0; i+1 < len(hops); i++ {
		edge, ok := m.edges[linkBetween(hops[i], hops[i+1])]
		if !ok {
			return w, false
		}
		cost := m.table.Cost(edge)
		if cost == route.Down {
			return w, false
		}
		w.Cost += uint64(cost)
		w.Draining = w.Draining || cost&PenaltyDraining != 0
		w.Unconfirmed = w.Unconfirmed || cost&PenaltyUnconfirmed != 0
	}
	return w, true
}

// Suboptimal reports whether there is a path between the same ends that costs less.
func (m *Map) Suboptimal(hops []Hop, w PathCost) bool {
	best, ok := m.Cost(hops[0].DPID, hops[len(hops)-1].DPID)
	return ok && uint64(best) < w.Cost
}

func linkBetween(a, b Hop) netview.LinkKey {
	return netview.LinkKey{
		Src: netview.Point{DPID: a.DPID, Port: a.Out},
		Dst: netview.Point{DPID: b.DPID, Port: b.In},
	}
}

// LinkCost returns what a link costs now, with its penalties; known is false for one that the map
// has never had. A link that cannot be used costs route.Down.
func (m *Map) LinkCost(key netview.LinkKey) (cost uint32, known bool) {
	edge, known := m.edges[key]
	if !known {
		return route.Down, false
	}
	return m.table.Cost(edge), true
}

// Without returns a map in which no link at these switches can be used: for paths around them.
func (m *Map) Without(avoid ...netview.DPID) *Map {
	var changes []route.Change
	graph := m.table.Graph()
	for edge := range graph.Edges() {
		key := &m.keys[edge]
		if m.table.Cost(int32(edge)) != route.Down &&
			(slices.Contains(avoid, key.Src.DPID) || slices.Contains(avoid, key.Dst.DPID)) {
			changes = append(changes, route.Change{Edge: int32(edge), Cost: route.Down})
		}
	}
	if len(changes) == 0 {
		return m
	}
	next := *m
	next.table = m.table.With(changes...)
	return &next
}
