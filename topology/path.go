package topology

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
)

// Hop is a switch on a path, with the port in and the port out.
type Hop struct {
	DPID    netview.DPID
	In, Out uint32
}

// PathBetween appends to buf the hops of a shortest path from one port of the network to another,
// and reports whether there is one. Which of several shortest paths it is depends on hash; with the
// ends exchanged it is the same path, backwards. It allocates only to make buf longer, for paths of
// more than 64 hops, and for the first path to a switch after a change that concerns it.
func (m *Map) PathBetween(from, to netview.Point, hash uint64, buf []Hop) ([]Hop, bool) {
	return m.PathAround(from, to, hash, Filter{}, buf)
}

// PathAround is PathBetween without what a filter leaves out.
func (m *Map) PathAround(from, to netview.Point, hash uint64, without Filter, buf []Hop) ([]Hop, bool) {
	if from.DPID == to.DPID {
		return append(buf, Hop{DPID: from.DPID, In: from.Port, Out: to.Port}), true
	}
	var on [64]int32
	edges, ok := m.edgesAround(from.DPID, to.DPID, hash, &without, on[:0])
	if !ok {
		return buf, false
	}
	hop := Hop{DPID: from.DPID, In: from.Port}
	for _, e := range edges {
		key := &m.keys[e]
		hop.Out = key.Src.Port
		buf = append(buf, hop)
		hop = Hop{DPID: key.Dst.DPID, In: key.Dst.Port}
	}
	hop.Out = to.Port
	return append(buf, hop), true
}

// edgesAround appends to buf the edges of a shortest path between two switches.
func (m *Map) edgesAround(from, to netview.DPID, hash uint64, without *Filter, buf []int32) ([]int32, bool) {
	src, ok1 := m.nodes[from]
	dst, ok2 := m.nodes[to]
	if !ok1 || !ok2 {
		return buf, false
	}
	if without.Empty() {
		edges, _, ok := m.table.Path(src, dst, hash, buf)
		return edges, ok
	}
	return m.edgesAvoiding(src, dst, hash, without, buf)
}

// edgesAvoiding is edgesAround with something to leave out; apart, since most paths have no room for it.
func (m *Map) edgesAvoiding(src, dst int32, hash uint64, without *Filter, buf []int32) ([]int32, bool) {
	var nodes, links [16]int32
	avoid := route.Avoid{Nodes: nodes[:0], Edges: links[:0]}
	for _, dpid := range without.Switches {
		if n, known := m.nodes[dpid]; known {
			avoid.Nodes = append(avoid.Nodes, n)
		}
	}
	for _, key := range without.Links {
		if e, known := m.edges[key]; known {
			avoid.Edges = append(avoid.Edges, e, e^1)
		}
	}
	edges, _, ok := m.table.PathAvoiding(src, dst, hash, &avoid, buf)
	return edges, ok
}

// linkHash is the key by which a direction of a link is chosen among equal costs. It is the same in all
// instances and versions: another one would choose other paths for half of all traffic.
func linkHash(k netview.LinkKey) uint64 {
	h := scramble(uint64(k.Src.DPID) ^ linkSeed)
	h = scramble(h ^ uint64(k.Src.Port)<<32 ^ uint64(k.Dst.Port))
	return scramble(h ^ uint64(k.Dst.DPID))
}

// linkSeed could be any number. With this one the golden conversations of package intent choose as they
// did when numbers of edges decided.
const linkSeed = 0x6fec

// scramble spreads each bit over all 64 (the output function of SplitMix64).
func scramble(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
