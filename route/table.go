package route

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Table is one immutable version of a graph's costs, with the distances to each destination as far
// as they have been asked for. It is safe for concurrent use; see the package's documentation for
// who makes versions.
//
// Memory: 32 bytes an edge, and 5 bytes for each pair of a node and a destination that was asked
// for, shared with other versions where equal.
type Table struct {
	costs   costs
	cells   []*cell    // by destination; shared between versions in which its distances are equal
	solvers *sync.Pool // of *solver, shared by all versions
}

// cell holds the distances to one destination, for all versions that share it. tree is nil until a
// reader asks for them.
type cell struct {
	tree atomic.Pointer[distances]
}

// distances are the costs from every node to one destination. It is immutable.
type distances struct {
	to []uint32 // by node
	// nextHop is, by node, the index among its arcs of its only next hop; multipath if there are
	// several, or none. It may be multipath though there is one, so that it stays valid when an edge
	// is removed and leaves one.
	nextHop []uint8
	// pending are the edges whose cost has changed since: the distances are to be repaired.
	pending []int32
}

// multipath in distances.nextHop means that the next hops are to be found among the arcs.
const multipath = 255

// Change sets the cost of an edge; Down takes it out of use.
type Change struct {
	Edge int32
	Cost uint32
}

// maxPending is how many changed edges are repaired; beyond that the distances are computed anew,
// which costs no more.
const maxPending = 64

// NewTable returns the first version, with the costs of the graph.
func NewTable(g *Graph) *Table {
	t := &Table{costs: initialCosts(g), cells: make([]*cell, g.nodes)}
	t.solvers = &sync.Pool{New: func() any { return &solver{mark: make([]bool, g.nodes)} }}
	fresh := make([]cell, g.nodes)
	for i := range t.cells {
		t.cells[i] = &fresh[i]
	}
	return t
}

// Graph returns the graph.
func (t *Table) Graph() *Graph { return t.costs.g }

// Cost returns the cost of an edge in this version.
func (t *Table) Cost(edge int32) uint32 { return t.costs.of(edge) }

// Dist returns the cost of the shortest path from src to dst, Unreachable without one.
func (t *Table) Dist(src, dst int32) uint32 { return t.to(dst).to[src] }

// With returns the version after these changes; t does not change. Its time grows with the number of
// edges and nodes, not of paths: destinations whose distances may have changed are repaired when
// they are next asked for. If no cost differs it returns t.
//
// A cost is 1 to Graph.MaxCost, or Down. With panics on another one, and on an unknown edge.
func (t *Table) With(changes ...Change) *Table {
	next := &Table{solvers: t.solvers}
	var changed []int32
	for _, c := range changes {
		if g := t.costs.g; !g.validCost(c.Cost) {
			panic(fmt.Sprintf("route: edge %d to cost %d, want 1 to %d, or Down", c.Edge, c.Cost, g.MaxCost()))
		}
		if next.costs.g == nil {
			if t.Cost(c.Edge) == c.Cost {
				continue
			}
			next.costs = t.costs.clone()
		}
		if next.Cost(c.Edge) != c.Cost {
			next.costs.set(c)
			changed = append(changed, c.Edge)
		}
	}
	if len(changed) == 0 {
		return t
	}
	next.inherit(t, changed)
	return next
}

// inherit shares the cells of the previous version, and replaces those whose distances the changed
// edges may have changed.
func (t *Table) inherit(old *Table, changed []int32) {
	t.cells = slices.Clone(old.cells)
	var fresh []cell
	var joined, joinedFrom []int32 // the last result of joining pending and changed: many cells have the same pending
	for dst, c := range old.cells {
		d := c.tree.Load()
		if d != nil && d.pending == nil && t.stillValid(old, int32(dst), d, changed) {
			continue
		}
		if len(fresh) == 0 {
			fresh = make([]cell, len(old.cells)-dst)
		}
		t.cells[dst], fresh = &fresh[0], fresh[1:]
		switch {
		case d == nil || len(d.pending)+len(changed) > maxPending:
			continue
		case d.pending == nil:
			t.cells[dst].tree.Store(&distances{d.to, d.nextHop, changed})
			continue
		case joined == nil || len(joinedFrom) != len(d.pending) || &joinedFrom[0] != &d.pending[0]:
			joinedFrom = d.pending
			joined = slices.Concat(d.pending, changed)
		}
		t.cells[dst].tree.Store(&distances{d.to, d.nextHop, joined})
	}
}

// stillValid reports whether distances of the previous version are those of t too. They are if at
// the tail of every changed edge the distance is still the least over its edges: with costs of at
// least 1 these equations have one solution. They are not if an edge adds a second next hop, since
// nextHop would be wrong.
func (t *Table) stillValid(old *Table, dst int32, d *distances, changed []int32) bool {
	for _, id := range changed {
		e := &t.costs.g.edges[id]
		if e.From == dst {
			continue
		}
		have, head := uint64(d.to[e.From]), uint64(d.to[e.To])
		if have == uint64(Unreachable) {
			if uint64(t.Cost(id))+head < have {
				return false
			}
			continue
		}
		through := uint64(t.Cost(id)) + head
		if through < have || through == have && d.nextHop[e.From] != multipath {
			return false
		}
		if uint64(old.Cost(id))+head == have && !t.hasNextHop(e.From, d.to) {
			return false
		}
	}
	return true
}

// hasNextHop reports whether a node has an edge on a path of exactly its distance.
func (t *Table) hasNextHop(node int32, to []uint32) bool {
	for _, a := range t.costs.out.of(node) {
		if uint64(a.cost)+uint64(to[a.node]) == uint64(to[node]) {
			return true
		}
	}
	return false
}

// to returns the distances to dst, after computing or repairing them if necessary.
func (t *Table) to(dst int32) *distances {
	if d := t.cells[dst].tree.Load(); d != nil && d.pending == nil {
		return d
	}
	return t.resolve(dst)
}

// resolve computes or repairs the distances to dst and publishes them to other readers. If another
// reader has published its result first, that one is returned: they are equal.
func (t *Table) resolve(dst int32) *distances {
	c := t.cells[dst]
	had := c.tree.Load()
	if had != nil && had.pending == nil {
		return had
	}
	s := t.solver()
	d := &distances{to: make([]uint32, t.costs.g.nodes), nextHop: make([]uint8, t.costs.g.nodes)}
	if had == nil {
		s.compute(dst, d)
	} else {
		copy(d.to, had.to)
		copy(d.nextHop, had.nextHop)
		s.repair(dst, d, had.pending)
	}
	t.release(s)
	if !c.tree.CompareAndSwap(had, d) {
		return c.tree.Load()
	}
	return d
}

// solver returns one for the costs of this version, until release.
func (t *Table) solver() *solver {
	s := t.solvers.Get().(*solver)
	s.costs = &t.costs
	return s
}

func (t *Table) release(s *solver) {
	s.costs = nil // it may outlive this version
	t.solvers.Put(s)
}
