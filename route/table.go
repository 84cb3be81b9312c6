package route

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Table is one immutable version of a graph's costs, with the distances to each destination as far
// as they have been asked for. It is safe for concurrent use; see the package's documentation for
// who makes versions.
//
// Memory: 24 bytes an edge, and 5 bytes for each pair of a node and a destination that was asked
// for, shared with other versions where equal.
type Table struct {
	g       *Graph
	out, in adjacency
	cells   []*cell // by destination; shared between versions in which its distances are equal
	single  int     // edges in use without a reverse of the same cost; 0: every path has its mirror image
	scratch *sync.Pool
}

// cell is the place of the distances to one destination, for all versions that share it. Nobody
// stores nil; a nil tree is one not asked for yet.
type cell struct {
	tree atomic.Pointer[distances]
}

// distances are the costs from every node to one destination. It is immutable.
type distances struct {
	to []uint32 // by node
	// sole is, by node, the index among its arcs of the one that leads on, where it is the only
	// one; several where there are more, or none. It may say several where there is one: so an edge
	// that closes a choice leaves it true.
	sole []uint8
	// pending are the edges that changed their cost since, when the version that holds this cell
	// has not repaired it yet.
	pending []int32
}

// several in distances.sole sends a look-up to the arcs.
const several = 255

// Change gives an edge another cost; Down takes it out of use.
type Change struct {
	Edge int32
	Cost uint32
}

// maxPending is how many changed edges are kept for a repair; beyond, the tree is computed anew,
// which costs no more.
const maxPending = 64

// NewTable is the first version, with the costs of the graph.
func NewTable(g *Graph) *Table {
	t := &Table{g: g, out: g.out, in: g.in, cells: make([]*cell, g.nodes)}
	t.scratch = &sync.Pool{New: func() any { return &scratch{mark: make([]bool, g.nodes)} }}
	fresh := make([]cell, g.nodes)
	for i := range t.cells {
		t.cells[i] = &fresh[i]
	}
	for id := range g.edges {
		if t.isSingle(int32(id)) {
			t.single++
		}
	}
	return t
}

// Graph is the graph whose costs these are.
func (t *Table) Graph() *Graph { return t.g }

// Cost is the cost of an edge in this version.
func (t *Table) Cost(edge int32) uint32 { return t.out.arcs[t.out.at[edge]].cost }

// Dist is the cost of the shortest path from src to dst, Unreachable without one.
func (t *Table) Dist(src, dst int32) uint32 { return t.to(dst).to[src] }

// With is the version after these changes, all at once; t stays as it is. It takes time by the
// number of edges and nodes, not of paths: destinations whose distances may have changed are
// repaired when next asked for. Without a difference it returns t.
//
// A cost is 1 to Graph.MaxCost, or Down; another, or an edge that is not of the graph, is a mistake
// of the caller and panics.
func (t *Table) With(changes ...Change) *Table {
	next := &Table{g: t.g, single: t.single, scratch: t.scratch}
	var changed []int32
	for _, c := range changes {
		if !t.g.validCost(c.Cost) {
			panic(fmt.Sprintf("route: edge %d to cost %d, want 1 to %d, or Down", c.Edge, c.Cost, t.g.MaxCost()))
		}
		if next.out.arcs == nil {
			if t.Cost(c.Edge) == c.Cost {
				continue
			}
			next.out, next.in = t.out.clone(), t.in.clone()
		}
		if next.Cost(c.Edge) != c.Cost {
			next.set(c)
			changed = append(changed, c.Edge)
		}
	}
	if len(changed) == 0 {
		return t
	}
	next.inherit(t, changed)
	return next
}

// set changes a cost in a version that nobody else has seen yet.
func (t *Table) set(c Change) {
	r := t.g.Reverse(c.Edge)
	before := t.singles(c.Edge, r)
	t.out.arcs[t.out.at[c.Edge]].cost = c.Cost
	t.in.arcs[t.in.at[c.Edge]].cost = c.Cost
	t.single += t.singles(c.Edge, r) - before
}

// singles is how many of an edge and its reverse are single.
func (t *Table) singles(edge, reverse int32) int {
	n := 0
	if t.isSingle(edge) {
		n++
	}
	if reverse >= 0 && t.isSingle(reverse) {
		n++
	}
	return n
}

// isSingle reports whether an edge is in use and has no reverse of the same cost.
func (t *Table) isSingle(edge int32) bool {
	c, r := t.Cost(edge), t.g.Reverse(edge)
	return c != Down && (r < 0 || t.Cost(r) != c)
}

// inherit takes the cells of the version before, and opens new ones where the changed edges may
// have changed a distance.
func (t *Table) inherit(old *Table, changed []int32) {
	t.cells = append([]*cell(nil), old.cells...)
	var fresh []cell
	var joined, joinedFrom []int32 // the last result of joining pending and changed: many cells have the same pending
	for dst, c := range old.cells {
		d := c.tree.Load()
		if d != nil && d.pending == nil && t.holds(old, int32(dst), d, changed) {
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
			t.cells[dst].tree.Store(&distances{d.to, d.sole, changed})
			continue
		case joined == nil || len(joinedFrom) != len(d.pending) || &joinedFrom[0] != &d.pending[0]:
			joinedFrom = d.pending
			joined = append(append([]int32(nil), d.pending...), changed...)
		}
		t.cells[dst].tree.Store(&distances{d.to, d.sole, joined})
	}
}

// holds reports whether distances of the version before are those of t too. They are if at the tail
// of every changed edge the distance is still the least over its edges: with costs of at least 1
// these equations have one solution. An edge that opens a choice where there was none does not hold
// either.
func (t *Table) holds(old *Table, dst int32, d *distances, changed []int32) bool {
	for _, id := range changed {
		e := &t.g.edges[id]
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
		if through < have || through == have && d.sole[e.From] != several {
			return false
		}
		if uint64(old.Cost(id))+head == have && !t.supported(e.From, d.to) {
			return false
		}
	}
	return true
}

// supported reports whether an edge of node leads on at exactly its distance.
func (t *Table) supported(node int32, to []uint32) bool {
	for _, a := range t.out.of(node) {
		if uint64(a.cost)+uint64(to[a.node]) == uint64(to[node]) {
			return true
		}
	}
	return false
}

// to is the distances to dst, computed or repaired first if need be.
func (t *Table) to(dst int32) *distances {
	if d := t.cells[dst].tree.Load(); d != nil && d.pending == nil {
		return d
	}
	return t.resolve(dst)
}
