package route

// scratch is what a computation of distances needs besides its result.
type scratch struct {
	heap     heap
	affected []bool // by node; all false between uses
	list     []int32
}

// resolve computes or repairs the distances to dst and offers them to the other readers. If one of them was faster, its result is taken: they
// are equal.
func (t *Table) resolve(dst int32) []uint32 {
	c := t.cells[dst]
	had := c.tree.Load()
	if had != nil && had.pending == nil {
		return had.to
	}
	s := t.scratch.Get().(*scratch)
	d := &distances{to: make([]uint32, t.g.nodes)}
	if had == nil {
		t.compute(dst, d.to, s)
	} else {
		copy(d.to, had.to)
		t.repair(dst, d.to, had.pending, s)
	}
	t.scratch.Put(s)
	if !c.tree.CompareAndSwap(had, d) {
		return c.tree.Load().to
	}
	return d.to
}

// compute fills to with the distances to dst.
func (t *Table) compute(dst int32, to []uint32, s *scratch) {
	for i := range to {
		to[i] = Unreachable
	}
	to[dst] = 0
	s.heap.push(0, dst)
	t.spread(to, s)
}

// spread is Dijkstra's algorithm from the nodes in the heap, which have their distance already, to those behind them that can be improved. The heap is
// empty after it.
func (t *Table) spread(to []uint32, s *scratch) {
	for len(s.heap) > 0 {
		d, at := s.heap.pop()
		if d != to[at] {
			continue
		}
		for _, a := range t.in.of(at) {
			if c := uint64(d) + uint64(a.cost); c < uint64(to[a.node]) {
				to[a.node] = uint32(c)
				s.heap.push(uint32(c), a.node)
			}
		}
	}
}

// repair turns distances of an earlier version into those of t; changed are the edges whose cost differs (some may not). It touches the nodes
// whose distance changes, and their edges, as the dynamic algorithm of Ramalingam and Reps does.
func (t *Table) repair(dst int32, to []uint32, changed []int32, s *scratch) {
	t.findAffected(dst, to, changed, s)
	// The affected start from their best neighbour that is not affected; then they improve each other.
	for _, n := range s.list {
		to[n] = Unreachable
	}
	for _, n := range s.list {
		s.affected[n] = false
		t.improve(n, to, s)
	}
	s.list = s.list[:0]
	for _, id := range changed {
		t.improve(t.g.edges[id].From, to, s)
	}
	t.spread(to, s)
}

// findAffected lists and marks the nodes that have lost every path of their old length: nearest first, so that when a node is judged all nodes that
// its paths could lead through have been.
func (t *Table) findAffected(dst int32, to []uint32, changed []int32, s *scratch) {
	for _, id := range changed {
		if n := t.g.edges[id].From; n != dst && to[n] != Unreachable {
			s.heap.push(to[n], n)
		}
	}
	for len(s.heap) > 0 {
		d, n := s.heap.pop()
		if s.affected[n] || t.stillWithin(d, n, to, s) {
			continue
		}
		s.affected[n] = true
		s.list = append(s.list, n)
		for _, a := range t.in.of(n) {
			if uint64(a.cost)+uint64(d) == uint64(to[a.node]) && !s.affected[a.node] && to[a.node] != Unreachable {
				s.heap.push(to[a.node], a.node)
			}
		}
	}
}

// stillWithin says whether node n has a path of length d or less through a neighbour that is not affected.
func (t *Table) stillWithin(d uint32, n int32, to []uint32, s *scratch) bool {
	for _, a := range t.out.of(n) {
		if uint64(a.cost)+uint64(to[a.node]) <= uint64(d) && !s.affected[a.node] {
			return true
		}
	}
	return false
}

// improve gives a node the best distance that its neighbours offer and queues it, if that is better than what it has.
func (t *Table) improve(n int32, to []uint32, s *scratch) {
	best := uint64(to[n])
	for _, a := range t.out.of(n) {
		best = min(best, uint64(a.cost)+uint64(to[a.node]))
	}
	if best < uint64(to[n]) {
		to[n] = uint32(best)
		s.heap.push(uint32(best), n)
	}
}
