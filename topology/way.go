package topology

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
)

// Way is what a path is worth in a map.
type Way struct {
	Cost     uint64 // with the penalties of its links
	Draining bool   // a link of it is draining
	Unsure   bool   // a link of it is unconfirmed
}

// Way looks at a path, link by link. It is false if one of them cannot be used.
func (m *Map) Way(hops []Hop) (Way, bool) {
	var w Way
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
		w.Unsure = w.Unsure || cost&PenaltyUnconfirmed != 0
	}
	return w, true
}

// Longer tells whether there is a way between the ends of a path that costs less than it does.
func (m *Map) Longer(hops []Hop, w Way) bool {
	best, ok := m.Cost(hops[0].DPID, hops[len(hops)-1].DPID)
	return ok && uint64(best) < w.Cost
}

func linkBetween(a, b Hop) netview.LinkKey {
	return netview.LinkKey{
		Src: netview.Point{DPID: a.DPID, Port: a.Out},
		Dst: netview.Point{DPID: b.DPID, Port: b.In},
	}
}

// LinkCost is what a link costs now, with its penalties; known is false for one that the map has never had. A link that cannot be used costs route.Down.
func (m *Map) LinkCost(key netview.LinkKey) (cost uint32, known bool) {
	edge, known := m.edges[key]
	if !known {
		return route.Down, false
	}
	return m.table.Cost(edge), true
}

// Without is a map in which no link at these switches can be used: for paths round them.
func (m *Map) Without(avoid ...netview.DPID) *Map {
	var changes []route.Change
	graph := m.table.Graph()
	for edge := range graph.Edges() {
		key := &m.keys[edge]
		if m.table.Cost(int32(edge)) != route.Down && (slices.Contains(avoid, key.Src.DPID) || slices.Contains(avoid, key.Dst.DPID)) {
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
