package topology

import (
	"maps"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
)

// What is added to the cost of a link (netview.Link.Cost, at most netview.CostMax), so that a path
// takes it only where there is no other. The sums leave room for paths of 16,000 hops.
const (
	PenaltyDraining    = 1 << 16 // to be left by all that can
	PenaltyUnconfirmed = 1 << 17 // not known to be there still, and a switch at its end cannot be told anything
)

// Map is the graph of a network at one revision of its view. It is immutable and safe for
// concurrent use.
//
// Numbers of switches and edges stay from one map to the Next, so that a choice among equal paths
// stays as it is when something is added elsewhere. Links that the view has forgotten stay as edges
// that are down, until they are more than half and are cleared out.
type Map struct {
	revision netview.Revision
	nodes    map[netview.DPID]int32
	edges    map[netview.LinkKey]int32
	keys     []netview.LinkKey // by edge: 2i and 2i+1 are the two directions of a link
	table    *route.Table
}

// Build returns the map of a snapshot.
func Build(snap *netview.Snapshot) *Map {
	m := &Map{nodes: make(map[netview.DPID]int32), edges: make(map[netview.LinkKey]int32)}
	m.fill(snap)
	return m
}

// grow returns the map of a later snapshot with switches or links that m does not have.
func (m *Map) grow(snap *netview.Snapshot) *Map {
	next := &Map{nodes: maps.Clone(m.nodes)}
	if len(m.keys) > 4*snap.Counts().Links+64 { // m has two edges for every link, whichever directions the view has
		next.edges = make(map[netview.LinkKey]int32)
	} else {
		next.edges, next.keys = maps.Clone(m.edges), slices.Clone(m.keys)
	}
	next.fill(snap)
	return next
}

// fill numbers what is new in a snapshot and builds the table. m is not published yet.
func (m *Map) fill(snap *netview.Snapshot) {
	m.revision = snap.Revision()
	for sw := range snap.Switches() {
		if _, ok := m.nodes[sw.DPID]; !ok {
			m.nodes[sw.DPID] = int32(len(m.nodes))
		}
	}
	costs := make([]uint32, len(m.keys))
	for i := range costs {
		costs[i] = route.Down
	}
	for there, back := range snap.LinkPairs() {
		key := keyOf(there, back)
		if key.Src.DPID == key.Dst.DPID {
			continue
		}
		edge, ok := m.edges[key]
		if !ok {
			edge = int32(len(m.keys))
			m.edges[key], m.edges[key.Reverse()] = edge, edge+1
			m.keys = append(m.keys, key, key.Reverse())
			costs = append(costs, 0, 0)
		}
		costs[edge], costs[edge^1] = costsOf(there, back)
	}
	edges, reverse := make([]route.Edge, len(m.keys)), make([]int32, len(m.keys))
	for i := range m.keys {
		key := &m.keys[i]
		edges[i] = route.Edge{From: m.nodes[key.Src.DPID], To: m.nodes[key.Dst.DPID], Cost: costs[i]}
		reverse[i] = int32(i ^ 1)
	}
	graph, err := route.NewGraph(len(m.nodes), edges, reverse)
	if err != nil {
		panic("topology: the view's links are no graph: " + err.Error()) // numbered above
	}
	m.table = route.NewTable(graph)
}

// Costs returns the cost of a link in its own and in its other direction; both are route.Down if it
// cannot be used.
func Costs(snap *netview.Snapshot, key netview.LinkKey) (own, other uint32) {
	there, _ := snap.Link(key)
	back, _ := snap.Link(key.Reverse())
	return costsOf(there, back)
}

// keyOf returns the key of a pair of links of which at least one exists.
func keyOf(there, back *netview.Link) netview.LinkKey {
	if there == nil {
		return back.Reverse()
	}
	return there.LinkKey
}

func costsOf(there, back *netview.Link) (own, other uint32) {
	if there == nil || back == nil || !there.Usable || !back.Usable {
		return route.Down, route.Down
	}
	var penalty uint32
	if unsure(there) || unsure(back) {
		penalty += PenaltyUnconfirmed
	}
	if there.Draining || back.Draining {
		penalty += PenaltyDraining
	}
	return uint32(there.Cost) + penalty, uint32(back.Cost) + penalty
}

func unsure(l *netview.Link) bool { return l.State == netview.LinkUnconfirmed }

// Next returns the map of a later snapshot, given all changes of the view between the two. It shares
// with the old map what the changes do not affect; without a change of a switch or link it is m.
func (m *Map) Next(snap *netview.Snapshot, changes []netview.Change) *Map {
	var costs []route.Change
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case netview.KindSwitch: // one that was deleted stays as a node without links
			if _, known := m.nodes[c.Switch.DPID]; !known && !c.Deleted {
				return m.grow(snap)
			}
		case netview.KindLink:
			edge, known := m.edges[c.Link.LinkKey]
			switch {
			case known:
				own, other := Costs(snap, c.Link.LinkKey)
				costs = append(costs, route.Change{Edge: edge, Cost: own}, route.Change{Edge: edge ^ 1, Cost: other})
			case !c.Deleted && c.Link.Src.DPID != c.Link.Dst.DPID:
				return m.grow(snap)
			}
		}
	}
	if len(costs) == 0 {
		return m
	}
	next := *m
	next.revision = snap.Revision()
	next.table = m.table.With(costs...)
	return &next
}

// Revision returns the view's revision at which the map last changed.
func (m *Map) Revision() netview.Revision { return m.revision }

// Cost returns the cost of the shortest path between two switches; ok is false without one.
func (m *Map) Cost(from, to netview.DPID) (cost uint32, ok bool) {
	src, ok1 := m.nodes[from]
	dst, ok2 := m.nodes[to]
	if !ok1 || !ok2 {
		return 0, false
	}
	cost = m.table.Dist(src, dst)
	return cost, cost != route.Unreachable
}

// Table returns the graph's table with the costs of this map, for queries other than PathBetween.
func (m *Map) Table() *route.Table { return m.table }

// Node returns a switch's number in the graph.
func (m *Map) Node(dpid netview.DPID) (int32, bool) {
	n, ok := m.nodes[dpid]
	return n, ok
}

// Link returns the link that an edge of the graph stands for.
func (m *Map) Link(edge int32) netview.LinkKey { return m.keys[edge] }

// Up reports whether a link can be used: it, and its other direction, are up.
func (m *Map) Up(key netview.LinkKey) bool {
	edge, ok := m.edges[key]
	return ok && m.table.Cost(edge) != route.Down
}
