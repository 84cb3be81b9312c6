package route

import (
	"cmp"
	"slices"
)

// Alternative is one of several paths between the same ends.
type Alternative struct {
	Edges []int32
	Cost  uint64
}

// compareAlternatives orders by cost, then by number of edges, then by edge ids, so that results
// are the same in every run.
func compareAlternatives(a, b Alternative) int {
	if c := cmp.Compare(a.Cost, b.Cost); c != 0 {
		return c
	}
	if c := cmp.Compare(len(a.Edges), len(b.Edges)); c != 0 {
		return c
	}
	return slices.Compare(a.Edges, b.Edges)
}

// candidate is the best path of a set of paths: those that begin with the edges before at, and
// leave the node there by none of the banned. Every path without a loop is in exactly one set.
type candidate struct {
	Alternative
	at     int
	banned []int32
}

// Shortest is the k shortest paths without loops from src to dst, shortest first; fewer when there
// are no more. Paths that differ in one of parallel edges are different. It takes time by k, the
// length of paths and the size of the graph: limit k where others choose it. From a node to itself
// there is one path, without edges.
//
// The algorithm is Yen's, with Lawler's way of splitting the set of remaining paths, so that none
// is found twice.
func (t *Table) Shortest(src, dst int32, k int) []Alternative {
	if k < 1 || !t.has(src) || !t.has(dst) {
		return nil
	}
	s := newDetour(t, dst)
	first, ok := s.from(src, nil)
	if !ok {
		return nil
	}
	var found []Alternative
	open := []candidate{{Alternative: first}}
	for len(open) > 0 {
		best := 0
		for i := range open {
			if compareAlternatives(open[i].Alternative, open[best].Alternative) < 0 {
				best = i
			}
		}
		c := open[best]
		open = slices.Delete(open, best, best+1)
		found = append(found, c.Alternative)
		if len(found) == k {
			break
		}
		open = s.split(src, c, open)
	}
	return found
}

// has reports whether a node is in range.
func (t *Table) has(node int32) bool { return uint32(node) < uint32(t.g.nodes) }

// split appends the best paths of the sets into which the set of c falls without c itself: one set
// for each node where a path may leave c.
func (s *detour) split(src int32, c candidate, open []candidate) []candidate {
	clear(s.closed)
	at, cost := src, uint64(0)
	for i, e := range c.Edges {
		if i >= c.at {
			banned := []int32{e}
			if i == c.at {
				banned = append(banned, c.banned...)
			}
			if rest, ok := s.from(at, banned); ok {
				edges := append(slices.Clone(c.Edges[:i]), rest.Edges...)
				open = append(open, candidate{Alternative{edges, cost + rest.Cost}, i, banned})
			}
		}
		s.closed[at] = true // later paths begin with this node and must not return to it
		at, cost = s.t.g.edges[e].To, cost+uint64(s.t.Cost(e))
	}
	return open
}

// detour searches shortest paths to one destination that avoid some nodes and edges.
type detour struct {
	t      *Table
	dst    int32
	to     []uint32 // without detour: the bound that leads the search (A*)
	closed []bool   // nodes to avoid
	dist   []uint64 // from the start
	via    []int32  // edge by which a node was reached
	heap   longHeap
}

func newDetour(t *Table, dst int32) *detour {
	n := t.g.nodes
	return &detour{t: t, dst: dst, to: t.to(dst).to, closed: make([]bool, n), dist: make([]uint64, n), via: make([]int32, n)}
}

// from is the shortest path from start that uses none of the banned edges, which all leave start,
// and meets no closed node.
func (s *detour) from(start int32, banned []int32) (Alternative, bool) {
	if s.to[start] == Unreachable {
		return Alternative{}, false
	}
	for i := range s.dist {
		s.dist[i] = far
	}
	s.heap = s.heap[:0]
	s.dist[start] = 0
	s.heap.push(uint64(s.to[start]), start)
	for len(s.heap) > 0 {
		bound, at := s.heap.pop()
		if at == s.dst {
			return s.trace(start), true
		}
		if bound != s.dist[at]+uint64(s.to[at]) {
			continue
		}
		for _, a := range s.t.out.of(at) {
			if a.cost == Down || s.to[a.node] == Unreachable || s.closed[a.node] || slices.Contains(banned, a.edge) {
				continue
			}
			if c := s.dist[at] + uint64(a.cost); c < s.dist[a.node] {
				s.dist[a.node], s.via[a.node] = c, a.edge
				s.heap.push(c+uint64(s.to[a.node]), a.node)
			}
		}
	}
	return Alternative{}, false
}

// trace follows via back from the destination.
func (s *detour) trace(start int32) Alternative {
	a := Alternative{Cost: s.dist[s.dst]}
	for at := s.dst; at != start; at = s.t.g.edges[s.via[at]].From {
		a.Edges = append(a.Edges, s.via[at])
	}
	slices.Reverse(a.Edges)
	return a
}
