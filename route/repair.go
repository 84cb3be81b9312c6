package route

// scratch is the reusable working memory of a computation of distances.
type scratch struct {
	heap heap
	mark []bool   // by node; all false between uses
	list []int32  // nodes whose distance changed, some more than once
	to   []uint32 // by node: the distances of a search that avoids something; nil before the first
}

// resolve computes or repairs the distances to dst and publishes them to other readers. If another
// reader has published its result first, that one is returned: they are equal.
func (t *Table) resolve(dst int32) *distances {
	c := t.cells[dst]
	had := c.tree.Load()
	if had != nil && had.pending == nil {
		return had
	}
	s := t.scratch.Get().(*scratch)
	d := &distances{to: make([]uint32, t.g.nodes), nextHop: make([]uint8, t.g.nodes)}
	if had == nil {
		t.compute(dst, d, s)
	} else {
		copy(d.to, had.to)
		copy(d.nextHop, had.nextHop)
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
	t.dijkstra(d.to, s)
	s.list = s.list[:0]
	for n := range d.nextHop {
		d.nextHop[n] = t.onlyNextHop(int32(n), d.to)
	}
}

// onlyNextHop computes distances.nextHop of a node.
func (t *Table) onlyNextHop(n int32, to []uint32) uint8 {
	arcs := t.out.of(n)
	if len(arcs) > multipath {
		return multipath
	}
	found, index := 0, 0
	for i, a := range arcs {
		if uint64(a.cost)+uint64(to[a.node]) == uint64(to[n]) {
			found++
			index = i
		}
	}
	if found != 1 {
		return multipath
	}
	return uint8(index)
}

// dijkstra runs Dijkstra's algorithm from the nodes in the heap, whose distances are set, and lists
// the nodes whose distances it lowers. It leaves the heap empty.
func (t *Table) dijkstra(to []uint32, s *scratch) {
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

// repair updates distances of an earlier version to those of t; changed holds at least the edges
// whose cost differs. It visits only the nodes whose distance changes, and their edges (the dynamic
// algorithm of Ramalingam and Reps).
func (t *Table) repair(dst int32, d *distances, changed []int32, s *scratch) {
	to := d.to
	t.findAffected(dst, to, changed, s)
	// Affected nodes get a first distance through their unaffected neighbours; dijkstra lowers them
	// through each other.
	affected := len(s.list)
	for _, n := range s.list {
		to[n] = Unreachable
	}
	for i := range affected {
		s.mark[s.list[i]] = false
		t.relax(s.list[i], to, s)
	}
	for _, id := range changed {
		t.relax(t.g.edges[id].From, to, s)
	}
	t.dijkstra(to, s)
	t.updateNextHops(d, changed, s)
}

// updateNextHops updates d.nextHop where a distance or an edge changed: at the nodes listed, at the
// tails of the edges to them, and at those of the changed edges.
func (t *Table) updateNextHops(d *distances, changed []int32, s *scratch) {
	for _, id := range changed {
		n := t.g.edges[id].From
		d.nextHop[n] = t.onlyNextHop(n, d.to)
	}
	for _, n := range s.list {
		if s.mark[n] {
			continue
		}
		s.mark[n] = true
		d.nextHop[n] = t.onlyNextHop(n, d.to)
		for _, a := range t.in.of(n) {
			d.nextHop[a.node] = t.onlyNextHop(a.node, d.to)
		}
	}
	for _, n := range s.list {
		s.mark[n] = false
	}
	s.list = s.list[:0]
}

// findAffected lists and marks the nodes that have lost every path of their old length. It visits
// the nearest first, so that all nodes on the paths of a node are decided before it.
func (t *Table) findAffected(dst int32, to []uint32, changed []int32, s *scratch) {
	for _, id := range changed {
		if n := t.g.edges[id].From; n != dst && to[n] != Unreachable {
			s.heap.push(to[n], n)
		}
	}
	for len(s.heap) > 0 {
		d, n := s.heap.pop()
		if s.mark[n] || t.hasPathWithin(d, n, to, s) {
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

// hasPathWithin reports whether node n has a path of length d or less through a neighbour that is not
// affected.
func (t *Table) hasPathWithin(d uint32, n int32, to []uint32, s *scratch) bool {
	for _, a := range t.out.of(n) {
		if uint64(a.cost)+uint64(to[a.node]) <= uint64(d) && !s.mark[a.node] {
			return true
		}
	}
	return false
}

// relax lowers a node's distance to the least through a neighbour, and queues the node, if that is
// less than it has.
func (t *Table) relax(n int32, to []uint32, s *scratch) {
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
