package route

// solver computes distances from some costs, and repairs those of other costs. It has one owner at a
// time, and knows nothing of versions. What it works in is used again.
type solver struct {
	costs *costs
	heap  heap     // empty between uses
	mark  []bool   // by node; all false between uses
	list  []int32  // nodes whose distance changed, some more than once
	to    []uint32 // by node: the distances of the last search; nil before the first
}

// compute fills d with the distances to dst.
func (s *solver) compute(dst int32, d *distances) {
	for i := range d.to {
		d.to[i] = Unreachable
	}
	d.to[dst] = 0
	s.heap.push(0, dst)
	s.dijkstra(d.to)
	s.list = s.list[:0]
	for n := range d.nextHop {
		d.nextHop[n] = s.onlyNextHop(int32(n), d.to)
	}
}

// onlyNextHop computes distances.nextHop of a node.
func (s *solver) onlyNextHop(n int32, to []uint32) uint8 {
	arcs := s.costs.out.of(n)
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
func (s *solver) dijkstra(to []uint32) {
	for len(s.heap) > 0 {
		d, at := s.heap.pop()
		if d != to[at] {
			continue
		}
		for _, a := range s.costs.in.of(at) {
			if c := uint64(d) + uint64(a.cost); c < uint64(to[a.node]) {
				to[a.node] = uint32(c)
				s.heap.push(uint32(c), a.node)
				s.list = append(s.list, a.node)
			}
		}
	}
}

// repair updates distances of an earlier version to those of its costs; changed holds at least the edges
// whose cost differs. It visits only the nodes whose distance changes, and their edges (the dynamic
// algorithm of Ramalingam and Reps).
func (s *solver) repair(dst int32, d *distances, changed []int32) {
	to := d.to
	s.findAffected(dst, to, changed)
	// Affected nodes get a first distance through their unaffected neighbours; dijkstra lowers them
	// through each other.
	affected := len(s.list)
	for _, n := range s.list {
		to[n] = Unreachable
	}
	for i := range affected {
		s.mark[s.list[i]] = false
		s.relax(s.list[i], to)
	}
	for _, id := range changed {
		s.relax(s.costs.g.edges[id].From, to)
	}
	s.dijkstra(to)
	s.updateNextHops(d, changed)
}

// updateNextHops updates d.nextHop where a distance or an edge changed: at the nodes listed, at the
// tails of the edges to them, and at those of the changed edges.
func (s *solver) updateNextHops(d *distances, changed []int32) {
	for _, id := range changed {
		n := s.costs.g.edges[id].From
		d.nextHop[n] = s.onlyNextHop(n, d.to)
	}
	for _, n := range s.list {
		if s.mark[n] {
			continue
		}
		s.mark[n] = true
		d.nextHop[n] = s.onlyNextHop(n, d.to)
		for _, a := range s.costs.in.of(n) {
			d.nextHop[a.node] = s.onlyNextHop(a.node, d.to)
		}
	}
	for _, n := range s.list {
		s.mark[n] = false
	}
	s.list = s.list[:0]
}

// findAffected lists and marks the nodes that have lost every path of their old length. It visits
// the nearest first, so that all nodes on the paths of a node are decided before it.
func (s *solver) findAffected(dst int32, to []uint32, changed []int32) {
	for _, id := range changed {
		if n := s.costs.g.edges[id].From; n != dst && to[n] != Unreachable {
			s.heap.push(to[n], n)
		}
	}
	for len(s.heap) > 0 {
		d, n := s.heap.pop()
		if s.mark[n] || s.hasPathWithin(d, n, to) {
			continue
		}
		s.mark[n] = true
		s.list = append(s.list, n)
		for _, a := range s.costs.in.of(n) {
			if uint64(a.cost)+uint64(d) == uint64(to[a.node]) && !s.mark[a.node] && to[a.node] != Unreachable {
				s.heap.push(to[a.node], a.node)
			}
		}
	}
}

// hasPathWithin reports whether node n has a path of length d or less through a neighbour that is not
// affected.
func (s *solver) hasPathWithin(d uint32, n int32, to []uint32) bool {
	for _, a := range s.costs.out.of(n) {
		if uint64(a.cost)+uint64(to[a.node]) <= uint64(d) && !s.mark[a.node] {
			return true
		}
	}
	return false
}

// relax lowers a node's distance to the least through a neighbour, and queues the node, if that is
// less than it has.
func (s *solver) relax(n int32, to []uint32) {
	best := uint64(to[n])
	for _, a := range s.costs.out.of(n) {
		best = min(best, uint64(a.cost)+uint64(to[a.node]))
	}
	if best < uint64(to[n]) {
		to[n] = uint32(best)
		s.heap.push(uint32(best), n)
		s.list = append(s.list, n)
	}
}

// search computes the distances to dst, without what is to be avoided, of src and of all that is nearer,
// into s.to. It reports whether src has one.
func (s *solver) search(src, dst int32, avoid *Avoid) bool {
	if s.to == nil {
		s.to = make([]uint32, s.costs.g.nodes)
	}
	for i := range s.to {
		s.to[i] = Unreachable
	}
	s.to[dst] = 0
	s.heap.push(0, dst)
	for len(s.heap) > 0 {
		d, at := s.heap.pop()
		if at == src {
			s.heap = s.heap[:0]
			return true
		}
		if d != s.to[at] {
			continue
		}
		in := s.costs.in.of(at)
		for i := range in {
			a := &in[i] // leads from a.node to at
			c := uint64(d) + uint64(a.cost)
			if c < uint64(s.to[a.node]) && !avoid.has(a) {
				s.to[a.node] = uint32(c)
				s.heap.push(uint32(c), a.node)
			}
		}
	}
	return false
}
