package topology

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
)

// Map is the graph of a network at one revision of its view. It is immutable and safe for
// concurrent use.
//
// Links that the view has forgotten stay as edges that are down, until they are more than half and are
// cleared out; so do switches. Both are numbered in the order of their keys, and equal costs are decided
// by keys of links: a path depends on the view, and not on the maps before.
type Map struct {
	revision netview.Revision
	nodes    map[netview.DPID]int32
	switches []netview.DPID // by node, in order
	edges    map[netview.LinkKey]int32
	keys     []netview.LinkKey // by edge, in order: 2i and 2i+1 are the two directions of a link
	weights  weights
	table    *route.Table
}

// Build returns the map of a snapshot.
func Build(snap *netview.Snapshot) *Map { return build(snap, nil, nil) }

// grow returns the map of a later snapshot with switches or links that m does not have.
func (m *Map) grow(snap *netview.Snapshot) *Map {
	// m has two edges for every link, whichever directions the view has
	if n := snap.Counts(); len(m.keys) > 4*n.Links+64 || len(m.switches) > 2*n.Switches+64 {
		return Build(snap)
	}
	return build(snap, m.switches, m.keys)
}

// build returns the map of a snapshot, with switches and links of an earlier map: those that the
// snapshot does not have are down.
func build(snap *netview.Snapshot, switches []netview.DPID, links []netview.LinkKey) *Map {
	m := &Map{revision: snap.Revision()}
	m.switches = slices.Clone(switches)
	for sw := range snap.Switches() {
		m.switches = append(m.switches, sw.DPID)
	}
	slices.Sort(m.switches)
	m.switches = slices.Compact(m.switches)
	m.nodes = make(map[netview.DPID]int32, len(m.switches))
	for i, dpid := range m.switches {
		m.nodes[dpid] = int32(i)
	}
	m.weights = weightsOf(len(m.switches))
	costs := m.number(snap, links)
	edges, reverse := make([]route.Edge, len(m.keys)), make([]int32, len(m.keys))
	hashes := make([]uint64, len(m.keys))
	m.edges = make(map[netview.LinkKey]int32, len(m.keys))
	for i := range m.keys {
		key := &m.keys[i]
		m.edges[*key] = int32(i)
		edges[i] = route.Edge{From: m.nodes[key.Src.DPID], To: m.nodes[key.Dst.DPID], Cost: costs[i]}
		reverse[i], hashes[i] = int32(i^1), linkHash(*key)
	}
	graph, err := route.NewKeyedGraph(len(m.switches), edges, reverse, hashes)
	if err != nil {
		panic("topology: the view's links are no graph: " + err.Error()) // numbered above
	}
	m.table = route.NewTable(graph)
	return m
}

// number numbers the links of a snapshot and those of an earlier map, and returns their weights.
func (m *Map) number(snap *netview.Snapshot, earlier []netview.LinkKey) (costs []uint32) {
	room := max(len(earlier), snap.Counts().Links)
	m.keys, costs = make([]netview.LinkKey, 0, room), make([]uint32, 0, room)
	add := func(key netview.LinkKey, own, other uint32) {
		m.keys, costs = append(m.keys, key, key.Reverse()), append(costs, own, other)
	}
	i := 0
	for there, back := range snap.LinkPairs() {
		key := keyOf(there, back)
		if key.Src.DPID == key.Dst.DPID {
			continue
		}
		for ; i < len(earlier) && earlier[i].Compare(key) < 0; i += 2 {
			add(earlier[i], route.Down, route.Down)
		}
		if i < len(earlier) && earlier[i] == key {
			i += 2
		}
		own, other := m.weights.ofPair(there, back)
		add(key, own, other)
	}
	for ; i < len(earlier); i += 2 {
		add(earlier[i], route.Down, route.Down)
	}
	return costs
}

// keyOf returns the key of a pair of links of which at least one exists.
func keyOf(there, back *netview.Link) netview.LinkKey {
	if there == nil {
		return back.Reverse()
	}
	return there.LinkKey
}

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
				own, other := m.weights.ofPair(linkPair(snap, c.Link.LinkKey))
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

// Table returns the graph's table with the costs of this map, for queries other than PathBetween.
func (m *Map) Table() *route.Table { return m.table }

// Node returns a switch's number in the graph.
func (m *Map) Node(dpid netview.DPID) (int32, bool) {
	n, ok := m.nodes[dpid]
	return n, ok
}

// Link returns the link that an edge of the graph stands for.
func (m *Map) Link(edge int32) netview.LinkKey { return m.keys[edge] }
