package route

import "slices"

// Disjointness is what two paths may not share.
type Disjointness uint8

// Kinds of disjointness. With EdgeDisjoint the paths share no link either: in a pair of least total
// cost, none uses the reverse of the other's edge, since leaving out both directions would cost
// less.
const (
	EdgeDisjoint Disjointness = iota
	NodeDisjoint              // no nodes but the ends, and so no edges
)

// Disjoint returns two disjoint paths from src to dst of least total cost, the cheaper first; ok is
// false when there are no two, or when src is dst. The cheaper need not be the shortest path: that
// one may block every second.
//
// The algorithm is that of Suurballe and Bhandari: a shortest path, then one in the graph in which
// the edges of the first are reversed, then the edges that only one of them uses.
func (t *Table) Disjoint(src, dst int32, kind Disjointness) (pair [2]Alternative, ok bool) {
	if !t.has(src) || !t.has(dst) || src == dst {
		return pair, false
	}
	first, _, ok := t.walk(src, dst, 0, nil)
	if !ok {
		return pair, false
	}
	r := newResidual(t, src, dst, kind, first)
	if !r.search() {
		return pair, false
	}
	used := r.combine()
	pair = [2]Alternative{t.extractPath(src, dst, used), t.extractPath(src, dst, used)}
	if compareAlternatives(pair[1], pair[0]) < 0 {
		pair[0], pair[1] = pair[1], pair[0]
	}
	return pair, true
}

// extractPath removes one path from src to dst from a loop-free set of edges that holds one.
func (t *Table) extractPath(src, dst int32, used map[int32]bool) Alternative {
	var p Alternative
	for at := src; at != dst; {
		arcs := t.costs.out.of(at)
		i := slices.IndexFunc(arcs, func(a arc) bool { return used[a.edge] })
		if i < 0 {
			panic("route: edges of a disjoint pair do not join")
		}
		delete(used, arcs[i].edge)
		p.Edges = append(p.Edges, arcs[i].edge)
		p.Cost += uint64(arcs[i].cost)
		at = arcs[i].node
	}
	return p
}

// residual is the graph in which the second path is searched. The first path's edges are reversed;
// with NodeDisjoint its inner nodes are split: a path that enters one by an ordinary edge can only
// continue backwards along the first path, and only one that came backwards along it can leave by an
// ordinary edge.
//
// A state is 2*node+1, or 2*node for a split node entered by an ordinary edge.
type residual struct {
	t        *Table
	src, dst int32
	kind     Disjointness
	to       []uint32 // distances to dst make all costs below at least 0 (Johnson's potentials), those along the first path 0
	into     []int32  // by node: the first path's edge into it, -1
	onFirst  map[int32]bool
	dist     []uint64 // by state
	from     []int32  // by state: the state before
	via      []int32  // by state: the edge taken; ^edge where it was taken backwards
}

func newResidual(t *Table, src, dst int32, kind Disjointness, first []int32) *residual {
	n := t.costs.g.nodes
	r := &residual{t: t, src: src, dst: dst, kind: kind, to: t.to(dst).to, onFirst: map[int32]bool{},
		into: slices.Repeat([]int32{-1}, n), dist: slices.Repeat([]uint64{infinity}, 2*n), from: make([]int32, 2*n),
		via: make([]int32, 2*n)}
	for _, e := range first {
		r.onFirst[e] = true
		r.into[t.costs.g.edges[e].To] = e
	}
	return r
}

// search is Dijkstra's algorithm over states from src to dst.
func (r *residual) search() bool {
	start, end := 2*r.src+1, 2*r.dst+1
	var h longHeap
	r.dist[start] = 0
	h.push(0, start)
	reach := func(from, state, via int32, cost uint64) {
		if cost < r.dist[state] {
			r.dist[state], r.from[state], r.via[state] = cost, from, via
			h.push(cost, state)
		}
	}
	for len(h) > 0 {
		d, state := h.pop()
		if d != r.dist[state] {
			continue
		}
		if state == end {
			return true
		}
		node := state / 2
		if e := r.into[node]; e >= 0 {
			reach(state, 2*r.t.costs.g.edges[e].From+1, ^e, d)
		}
		if state%2 == 0 {
			continue
		}
		for _, a := range r.t.costs.out.of(node) {
			if a.cost == Down || r.to[a.node] == Unreachable || r.onFirst[a.edge] {
				continue
			}
			reach(state, r.enter(a.node), a.edge, d+uint64(a.cost)+uint64(r.to[a.node])-uint64(r.to[node]))
		}
	}
	return false
}

// enter returns the state of a node entered by an ordinary edge.
func (r *residual) enter(node int32) int32 {
	if r.kind == NodeDisjoint && r.into[node] >= 0 && node != r.dst {
		return 2 * node
	}
	return 2*node + 1
}

// combine returns the edges of the two disjoint paths: those of the first and second path, without
// those that the second took backwards.
func (r *residual) combine() map[int32]bool {
	used := r.onFirst
	for state := 2*r.dst + 1; state != 2*r.src+1; state = r.from[state] {
		if e := r.via[state]; e >= 0 {
			used[e] = true
		} else {
			delete(used, ^e)
		}
	}
	return used
}
