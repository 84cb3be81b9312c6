package topology

import "github.com/weirnet/weir/netview"

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
		key := &m.keys[e]
		hop.Out = key.Src.Port
		buf = append(buf, hop)
		hop = Hop{DPID: key.Dst.DPID, In: key.Dst.Port}
	}
	hop.Out = to.Port
	return append(buf, hop), true
}
