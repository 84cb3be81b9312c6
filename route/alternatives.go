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

// compareAlternatives orders by cost, then number of edges, then edge ids, so that results are the
// same in every run.
func compareAlternatives(a, b Alternative) int {
	return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(len(a.Edges), len(b.Edges)), slices.Compare(a.Edges, b.Edges))
}

// candidate is the best path of a set of paths: those that share its edges before spur, and leave
// the spur node by none of the banned edges. Every loop-free path is in exactly one set.
type candidate struct {
	Alternative
	spur   int // index of the edge that leaves the spur node
	banned []int32
}

// Shortest returns the k shortest loop-free paths from src to dst, shortest first; fewer when there
// are no more. Paths over different parallel edges are different. Its time grows with k, the length
// of paths and the size of the graph: limit k where others choose it. From a node to itself there is
// one path, without edges.
//
// The algorithm is Yen's, with Lawler's partition of the remaining paths, so that none is found
// twice.
func (t *Table) Shortest(src, dst int32, k int) []Alternative {
	if k < 1 || !t.has(src) || !t.has(dst) {
		return nil
	}
	s := newSpurSearch(t, dst)
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
func (t *Table) has(node int32) bool { return uint32(node) < uint32(t.costs.g.nodes) }

// split partitions the set of c, without c itself, into one set for each spur node where a path may
// leave c, and appends the best path of each.
func (s *spurSearch) split(src int32, c candidate, open []candidate) []candidate {
	clear(s.closed)
	at, cost := src, uint64(0)
	for i, e := range c.Edges {
		if i >= c.spur {
			banned := []int32{e}
			if i == c.spur {
				banned = append(banned, c.banned...)
			}
			if rest, ok := s.from(at, banned); ok {
				edges := append(slices.Clone(c.Edges[:i]), rest.Edges...)
				open = append(open, candidate{Alternative{edges, cost + rest.Cost}, i, banned})
			}
		}
		s.closed[at] = true // later paths begin with this node and must not return to it
		at, cost = s.t.costs.g.edges[e].To, cost+uint64(s.t.Cost(e))
	}
	return open
}

// spurSearch searches shortest paths (A*) to one destination that avoid some nodes and edges.
type spurSearch struct {
	t      *Table
	dst    int32
	to     []uint32 // distances without avoiding anything: the lower bound of A*
	closed []bool   // nodes to avoid
	dist   []uint64 // from the start
	via    []int32  // the edge by which a node was reached
	heap   longHeap
}

func newSpurSearch(t *Table, dst int32) *spurSearch {
	n := t.costs.g.nodes
	return &spurSearch{t: t, dst: dst, to: t.to(dst).to, closed: make([]bool, n), dist: make([]uint64, n), via: make([]int32, n)}
}

// from returns the shortest path from start that uses none of the banned edges, which all leave
// start, and visits no closed node.
func (s *spurSearch) from(start int32, banned []int32) (Alternative, bool) {
	if s.to[start] == Unreachable {
		return Alternative{}, false
	}
	for i := range s.dist {
		s.dist[i] = infinity
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
		for _, a := range s.t.costs.out.of(at) {
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

// trace returns the path found, by following via back from the destination.
func (s *spurSearch) trace(start int32) Alternative {
	a := Alternative{Cost: s.dist[s.dst]}
	for at := s.dst; at != start; at = s.t.costs.g.edges[s.via[at]].From {
		a.Edges = append(a.Edges, s.via[at])
	}
	slices.Reverse(a.Edges)
	return a
}
