package route

// scratch is what a computation of distances needs besides its result.
type scratch struct {
	heap heap
	mark []bool  // by node; all false between uses
	list []int32 // nodes whose distance changed, some more than once
}

// resolve computes or repairs the distances to dst and offers them to the other readers. If one of
// them was faster, its result is taken: they are equal.
func (t *Table) resolve(dst int32) *distances {
	c := t.cells[dst]
	had := c.tree.Load()
	if had != nil && had.pending == nil {
		return had
	}
	s := t.scratch.Get().(*scratch)
	d := &distances{to: make([]uint32, t.g.nodes), sole: make([]uint8, t.g.nodes)}
	if had == nil {
		t.compute(dst, d, s)
	} else {
		copy(d.to, had.to)
		copy(d.sole, had.sole)
		t.repair(dst, d, had.pending, s)
	}
	t.scratch.Put(s)
	if !c.tree.CompareAndSwap(had, d) {
		return c.tree.Load()
	}
	return d
}

// compute fills d with the distances to dst.
func (t *Table) compute(dst int32, d *distances, s *scratch) {
	for i := range d.to {
		d.to[i] = Unreachable
	}
	d.to[dst] = 0
	s.heap.push(0, dst)
	t.spread(d.to, s)
	s.list = s.list[:0]
	for n := range d.sole {
		d.sole[n] = t.sole(int32(n), d.to)
	}
}

// sole is what distances.sole says of a node.
func (t *Table) sole(n int32, to []uint32) uint8 {
	arcs := t.out.of(n)
	if len(arcs) > several {
		return several
	}
	found, index := 0, 0
	for i, a := range arcs {
		if uint64(a.cost)+uint64(to[a.node]) == uint64(to[n]) {
			found++
			index = i
		}
	}
	if found != 1 {
		return several
	}
	return uint8(index)
}

// spread is Dijkstra's algorithm from the nodes in the heap, which have their distance already, to
// those behind them that can be improved and that it lists. The heap is empty after it.
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
				s.list = append(s.list, a.node)
			}
		}
	}
}

// repair turns distances of an earlier version into those of t; changed are the edges whose cost
// differs (some may not). It touches the nodes whose distance changes, and their edges, as the
// dynamic algorithm of Ramalingam and Reps does.
func (t *Table) repair(dst int32, d *distances, changed []int32, s *scratch) {
	to := d.to
	t.findAffected(dst, to, changed, s)
	// The affected start from their best neighbour that is not affected; then they improve each
	// other.
	affected := len(s.list)
	for _, n := range s.list {
		to[n] = Unreachable
	}
	for i := range affected {
		s.mark[s.list[i]] = false
		t.improve(s.list[i], to, s)
	}
	for _, id := range changed {
		t.improve(t.g.edges[id].From, to, s)
	}
	t.spread(to, s)
	t.refreshSole(d, changed, s)
}

// refreshSole corrects d.sole where a distance or an edge changed: at the nodes listed, at the
// tails of the edges to them, and at those of the changed edges.
func (t *Table) refreshSole(d *distances, changed []int32, s *scratch) {
	for _, id := range changed {
		n := t.g.edges[id].From
		d.sole[n] = t.sole(n, d.to)
	}
	for _, n := range s.list {
		if s.mark[n] {
			continue
		}
		s.mark[n] = true
		d.sole[n] = t.sole(n, d.to)
		for _, a := range t.in.of(n) {
			d.sole[a.node] = t.sole(a.node, d.to)
		}
	}
	for _, n := range s.list {
		s.mark[n] = false
	}
	s.list = s.list[:0]
}

// findAffected lists and marks the nodes that have lost every path of their old length: nearest
// first, so that when a node is judged all nodes that its paths could lead through have been.
func (t *Table) findAffected(dst int32, to []uint32, changed []int32, s *scratch) {
	for _, id := range changed {
		if n := t.g.edges[id].From; n != dst && to[n] != Unreachable {
			s.heap.push(to[n], n)
		}
	}
	for len(s.heap) > 0 {
		d, n := s.heap.pop()
		if s.mark[n] || t.stillWithin(d, n, to, s) {
			continue
		}
		s.mark[n] = true
		s.list = append(s.list, n)
		for _, a := range t.in.of(n) {
			if uint64(a.cost)+uint64(d) == uint64(to[a.node]) && !s.mark[a.node] && to[a.node] != Unreachable {
				s.heap.push(to[a.node], a.node)
			}
		}
	}
}

// stillWithin reports whether node n has a path of length d or less through a neighbour that is not
// affected.
func (t *Table) stillWithin(d uint32, n int32, to []uint32, s *scratch) bool {
	for _, a := range t.out.of(n) {
		if uint64(a.cost)+uint64(to[a.node]) <= uint64(d) && !s.mark[a.node] {
			return true
		}
	}
	return false
}

// improve gives a node the best distance that its neighbours offer and queues it, if that is better
// than what it has.
func (t *Table) improve(n int32, to []uint32, s *scratch) {
	best := uint64(to[n])
	for _, a := range t.out.of(n) {
		best = min(best, uint64(a.cost)+uint64(to[a.node]))
	}
	if best < uint64(to[n]) {
		to[n] = uint32(best)
		s.heap.push(uint32(best), n)
		s.list = append(s.list, n)
	}
}
