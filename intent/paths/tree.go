package paths

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// InTree is a tree from several ends to one, made branch by branch. The zero InTree has none.
type InTree struct {
	hops []topology.Hop
	next []int                // by hop: the hop that its port leads to, -1 at the end
	on   map[netview.DPID]int // the hop of each switch that all packets leave by
}

// Join adds a branch up to where it meets the tree: at a switch that the tree has already, so that all
// packets leave a switch by one port.
func (t *InTree) Join(branch []topology.Hop) {
	if t.on == nil {
		t.on = make(map[netview.DPID]int)
	}
	before := -1
	for _, h := range branch {
		met, there := t.on[h.DPID]
		if there {
			h.Out = t.hops[met].Out
			if i := slices.Index(t.hops, h); i >= 0 { // same in port: the rest is in the tree
				if before >= 0 {
					t.next[before] = i
				}
				return
			}
		}
		i := len(t.hops)
		t.hops, t.next = append(t.hops, h), append(t.next, -1)
		if before >= 0 {
			t.next[before] = i
		}
		if there {
			t.next[i] = t.next[met]
			return
		}
		t.on[h.DPID], before = i, i
	}
}

// Hops returns the tree as a route: each hop after those that lead to it.
func (t *InTree) Hops() ([]*ruleset.Hop, []Edge) {
	depth := make([]int, len(t.hops)) // to the end
	order := make([]int, len(t.hops))
	for i := range t.hops {
		order[i] = i
		for at := t.next[i]; at >= 0; at = t.next[at] {
			depth[i]++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return depth[b] - depth[a] })
	hops, edges, place := make([]*ruleset.Hop, len(order)), []Edge{}, make([]int32, len(order))
	for k, i := range order {
		h := t.hops[i]
		place[i] = int32(k)
		hops[k] = ruleset.HopTo(h.DPID, h.In, h.Out)
	}
	for _, i := range order {
		if t.next[i] >= 0 {
			edges = append(edges, Edge{place[i], place[t.next[i]], t.hops[i].Out})
		}
	}
	return hops, edges
}

// OutTree is a tree from one end to several, made branch by branch. The zero OutTree has none.
type OutTree struct {
	hops  []topology.Hop // without Out
	out   [][]uint32     // by hop
	edges []Edge
	on    map[netview.DPID]int // the hop at each switch
}

// Join adds a branch: it leaves the tree at the last switch that it has in common with it.
func (t *OutTree) Join(branch []topology.Hop) {
	if t.on == nil {
		t.on = make(map[netview.DPID]int)
	}
	first := 0
	for k, h := range branch {
		if _, there := t.on[h.DPID]; there {
			first = k
		}
	}
	at, there := t.on[branch[first].DPID]
	if !there {
		at = t.add(branch[first])
	}
	for k := first; k < len(branch); k++ {
		if k > first {
			from := at
			at = t.add(branch[k])
			t.edges = append(t.edges, Edge{int32(from), int32(at), branch[k-1].Out})
		}
		t.out[at] = inserted(t.out[at], branch[k].Out)
	}
}

// add adds a hop without outputs and returns its index.
func (t *OutTree) add(h topology.Hop) (at int) {
	at = len(t.hops)
	t.on[h.DPID] = at
	t.hops, t.out = append(t.hops, topology.Hop{DPID: h.DPID, In: h.In}), append(t.out, nil)
	return at
}

// Hops returns the tree as a route.
func (t *OutTree) Hops() ([]*ruleset.Hop, []Edge) {
	hops := make([]*ruleset.Hop, len(t.hops))
	for i, h := range t.hops {
		hops[i] = ruleset.HopTo(h.DPID, h.In, t.out[i]...)
	}
	return hops, t.edges
}

// inserted returns an ascending list with a port added.
func inserted(list []uint32, port uint32) []uint32 {
	i, there := slices.BinarySearch(list, port)
	if there {
		return list
	}
	return slices.Insert(list, i, port)
}
