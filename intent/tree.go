package intent

import (
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// tree is built branch by branch, of topology.Hop: one for each switch, in port and out port.
type tree struct {
	hops []topology.Hop
	next []int // by hop, in an in-tree: the hop that its port leads to, -1 at the end
}

// inTree computes a tree from several connect points to one: at a switch that the tree has already,
// a branch joins it, so that all packets leave a switch by one port.
func (c *Core) inTree(n uint32, s *spec.Spec, without topology.Filter) (*sharedPath, problem) {
	to := s.Dst[0].Point
	var t tree
	on := make(map[netview.DPID]int)
	for i := range s.Src {
		path, p := c.hopsBetween(n, s.Src[i].Point, to, without)
		if p.code != NoCode {
			return nil, p
		}
		t.joinIn(path, on)
	}
	return c.paths.forTree(t.upstreamFirst()), problem{}
}

// joinIn adds a branch up to where it meets the tree.
func (t *tree) joinIn(branch []topology.Hop, on map[netview.DPID]int) {
	before := -1
	for _, h := range branch {
		met, there := on[h.DPID]
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
		on[h.DPID], before = i, i
	}
}

// upstreamFirst returns an in-tree as a route: each hop after those that lead to it.
func (t *tree) upstreamFirst() ([]*ruleset.Hop, []edge) {
	depth := make([]int, len(t.hops)) // to the end
	order := make([]int, len(t.hops))
	for i := range t.hops {
		order[i] = i
		for at := t.next[i]; at >= 0; at = t.next[at] {
			depth[i]++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return depth[b] - depth[a] })
	hops, joins, place := make([]*ruleset.Hop, len(order)), []edge{}, make([]int32, len(order))
	for k, i := range order {
		h := t.hops[i]
		place[i] = int32(k)
		hops[k] = &ruleset.Hop{DPID: h.DPID, In: h.In, Out: []uint32{h.Out}}
	}
	for _, i := range order {
		if t.next[i] >= 0 {
			joins = append(joins, edge{place[i], place[t.next[i]], t.hops[i].Out})
		}
	}
	return hops, joins
}

// outTree computes a tree from one connect point to several: each branch leaves the tree at the
// last switch that it has in common with it.
func (c *Core) outTree(n uint32, s *spec.Spec, without topology.Filter) (*sharedPath, problem) {
	from := s.Src[0].Point
	var hops []*ruleset.Hop
	var joins []edge
	on := make(map[netview.DPID]int)
	for i := range s.Dst {
		branch, p := c.hopsBetween(n, from, s.Dst[i].Point, without)
		if p.code != NoCode {
			return nil, p
		}
		first := 0
		for k, h := range branch {
			if _, there := on[h.DPID]; there {
				first = k
			}
		}
		at, there := on[branch[first].DPID]
		if !there {
			at = len(hops)
			on[branch[first].DPID] = at
			hops = append(hops, &ruleset.Hop{DPID: branch[first].DPID, In: branch[first].In})
		}
		for k := first; k < len(branch); k++ {
			if k > first {
				on[branch[k].DPID] = len(hops)
				joins = append(joins, edge{int32(at), int32(len(hops)), branch[k-1].Out})
				at = len(hops)
				hops = append(hops, &ruleset.Hop{DPID: branch[k].DPID, In: branch[k].In})
			}
			hops[at].Out = inserted(hops[at].Out, branch[k].Out)
		}
	}
	return c.paths.forTree(hops, joins), problem{}
}

// inserted returns an ascending list with a port added.
func inserted(list []uint32, port uint32) []uint32 {
	i, there := slices.BinarySearch(list, port)
	if there {
		return list
	}
	return slices.Insert(list, i, port)
}
