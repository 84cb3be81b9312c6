package route

import "slices"

// costs are the costs of all edges in one version. Both adjacencies have the same: set changes them
// together, and only while the version belongs to who makes it.
type costs struct {
	g       *Graph
	out, in adjacency
	// asymmetric counts the edges in use without a reverse of the same cost; at 0 the reverse of every
	// shortest path is one.
	asymmetric int
}

// initialCosts returns the costs that a graph was built with.
func initialCosts(g *Graph) costs {
	c := costs{g: g, out: g.out, in: g.in}
	for id := range g.edges {
		if c.isAsymmetric(int32(id)) {
			c.asymmetric++
		}
	}
	return c
}

// clone returns a copy that set may change.
func (c *costs) clone() costs {
	return costs{g: c.g, out: c.out.clone(), in: c.in.clone(), asymmetric: c.asymmetric}
}

// of returns the cost of an edge.
func (c *costs) of(edge int32) uint32 { return c.out.arcs[c.out.at[edge]].cost }

// set changes the cost of an edge.
func (c *costs) set(change Change) {
	r := c.g.Reverse(change.Edge)
	before := c.countAsymmetric(change.Edge, r)
	c.out.arcs[c.out.at[change.Edge]].cost = change.Cost
	c.in.arcs[c.in.at[change.Edge]].cost = change.Cost
	c.asymmetric += c.countAsymmetric(change.Edge, r) - before
}

// countAsymmetric counts the asymmetric ones of an edge and its reverse.
func (c *costs) countAsymmetric(edge, reverse int32) int {
	n := 0
	if c.isAsymmetric(edge) {
		n++
	}
	if reverse >= 0 && c.isAsymmetric(reverse) {
		n++
	}
	return n
}

// isAsymmetric reports whether an edge is in use and has no reverse of the same cost.
func (c *costs) isAsymmetric(edge int32) bool {
	cost, r := c.of(edge), c.g.Reverse(edge)
	return cost != Down && (r < 0 || c.of(r) != cost)
}

// isSymmetric reports whether every edge of a path has a reverse of the same cost.
func (c *costs) isSymmetric(edges []int32) bool {
	return !slices.ContainsFunc(edges, c.isAsymmetric)
}
