package topology

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
)

// Costs of a link.
const (
	CostDefault        = 1
	PenaltyUnconfirmed = 1000 // added to the cost of a link that is unconfirmed
)

// Hop is a switch on a path, with the port in and the port out.
type Hop struct {
	DPID    netview.DPID
	In, Out uint32
}

// Map is the graph of a network at one revision of its view. It is immutable and safe for concurrent use.
type Map struct {
	revision netview.Revision
	nodes    map[netview.DPID]int32
	ids      []netview.DPID
	edges    map[netview.LinkKey]int32
	keys     []netview.LinkKey
	table    *route.Table
}

// Build makes the map of a snapshot.
func Build(snap *netview.Snapshot) *Map {
	m := &Map{
		revision: snap.Revision(), nodes: make(map[netview.DPID]int32), edges: make(map[netview.LinkKey]int32),
	}
	for sw := range snap.Switches() {
		m.nodes[sw.DPID] = int32(len(m.ids))
		m.ids = append(m.ids, sw.DPID)
	}
	var edges []route.Edge
	for l := range snap.Links() {
		from, ok1 := m.nodes[l.Src.DPID]
		to, ok2 := m.nodes[l.Dst.DPID]
		if !ok1 || !ok2 || from == to {
			continue
		}
		m.edges[l.LinkKey] = int32(len(edges))
		m.keys = append(m.keys, l.LinkKey)
		edges = append(edges, route.Edge{From: from, To: to, Cost: Cost(snap, l.LinkKey)})
	}
	reverse := make([]int32, len(edges))
	for i, key := range m.keys {
		reverse[i] = -1
		if r, ok := m.edges[key.Reverse()]; ok {
			reverse[i] = r
		}
	}
	graph, err := route.NewGraph(len(m.ids), edges, reverse)
	if err != nil {
		panic("topology: the view's links are no graph: " + err.Error()) // numbered above
	}
	m.table = route.NewTable(graph)
	return m
}

// Cost is what a link costs now: route.Down if it cannot be used.
func Cost(snap *netview.Snapshot, key netview.LinkKey) uint32 {
	there, ok1 := snap.Link(key)
	back, ok2 := snap.Link(key.Reverse())
	if !ok1 || !ok2 || !there.Up || !back.Up {
		return route.Down
	}
	if there.State != netview.LinkConfirmed || back.State != netview.LinkConfirmed {
		return CostDefault + PenaltyUnconfirmed
	}
	return CostDefault
}

// Next is the map of a later snapshot, given all changes of the view between the two. It shares with the old map what
// the changes leave alone; m itself where they concern no switch and no link.
func (m *Map) Next(snap *netview.Snapshot, changes []netview.Change) *Map {
	var costs []route.Change
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case netview.KindSwitch:
			if _, known := m.nodes[c.Switch.DPID]; !known {
				return Build(snap) // one that was deleted stays as a node without links
			}
		case netview.KindLink:
			edge, known := m.edges[c.Link.LinkKey]
			back, both := m.edges[c.Link.Reverse()]
			if !known || !both {
				if c.Deleted || c.Link.Src.DPID == c.Link.Dst.DPID {
					continue
				}
				return Build(snap)
			}
			cost := Cost(snap, c.Link.LinkKey)
			costs = append(costs, route.Change{Edge: edge, Cost: cost}, route.Change{Edge: back, Cost: cost})
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

// Revision is that of the view at which the map was last different.
func (m *Map) Revision() netview.Revision { return m.revision }

// PathBetween appends to buf the hops of a shortest path from one port of the network to another, and tells whether
// there is one. Which of several shortest paths it is depends on hash; with the ends exchanged it is the same path,
// backwards. It allocates only to make buf longer.
func (m *Map) PathBetween(from, to netview.Point, hash uint64, buf []Hop) ([]Hop, bool) {
	if from.DPID == to.DPID {
		return append(buf, Hop{DPID: from.DPID, In: from.Port, Out: to.Port}), true
	}
	src, ok1 := m.nodes[from.DPID]
	dst, ok2 := m.nodes[to.DPID]
	if !ok1 || !ok2 {
		return buf, false
	}
	var on [64]int32
	edges, _, ok := m.table.Path(src, dst, hash, on[:0])
	if !ok {
		return buf, false
	}
	hop := Hop{DPID: from.DPID, In: from.Port}
	for _, e := range edges {
		key := m.keys[e]
		hop.Out = key.Src.Port
		buf = append(buf, hop)
		hop = Hop{DPID: key.Dst.DPID, In: key.Dst.Port}
	}
	hop.Out = to.Port
	return append(buf, hop), true
}

// Cost is the cost of the shortest path between two switches; ok is false without one.
func (m *Map) Cost(from, to netview.DPID) (cost uint32, ok bool) {
	src, ok1 := m.nodes[from]
	dst, ok2 := m.nodes[to]
	if !ok1 || !ok2 {
		return 0, false
	}
	cost = m.table.Dist(src, dst)
	return cost, cost != route.Unreachable
}

// Table is the graph's table with the costs of this map, for what PathBetween does not answer.
func (m *Map) Table() *route.Table { return m.table }

// Node is a switch's number in the graph.
func (m *Map) Node(dpid netview.DPID) (int32, bool) {
	n, ok := m.nodes[dpid]
	return n, ok
}

// Link is the link that an edge of the graph stands for.
func (m *Map) Link(edge int32) netview.LinkKey { return m.keys[edge] }
