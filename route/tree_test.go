package route

// Tree is the shortest paths from all nodes to one root. Its slices are reused when it is filled
// again; the zero Tree is ready to be filled.
type Tree struct {
	Root int32
	Dist []uint32 // by node: cost of the shortest path to the root, Unreachable without one
	Next []int32  // by node: the edge to leave by, -1 at the root and where there is no path
	heap heap
}

// Tree fills t with shortest paths to root, by the costs the graph was built with. Of paths with
// equal cost it takes one, the same for the same graph. It allocates only when t is too small.
func (g *Graph) Tree(root int32, t *Tree) { fillTree(g.nodes, &g.in, root, t) }

// Tree fills t with shortest paths to root, by the costs of this version.
func (t *Table) Tree(root int32, tree *Tree) { fillTree(t.costs.g.nodes, &t.costs.in, root, tree) }

func fillTree(nodes int, in *adjacency, root int32, t *Tree) {
	if cap(t.Dist) < nodes || cap(t.Next) < nodes {
		t.Dist, t.Next = make([]uint32, nodes), make([]int32, nodes)
	}
	t.Root, t.Dist, t.Next = root, t.Dist[:nodes], t.Next[:nodes]
	for i := range t.Dist {
		t.Dist[i], t.Next[i] = Unreachable, -1
	}
	t.heap = t.heap[:0]
	t.Dist[root] = 0
	t.heap.push(0, root)
	// Dijkstra; a node that was improved while queued is queued again, and its old entry skipped.
	dist := t.Dist
	for len(t.heap) > 0 {
		d, at := t.heap.pop()
		if d != dist[at] {
			continue
		}
		for _, a := range in.of(at) {
			if c := uint64(d) + uint64(a.cost); c < uint64(dist[a.node]) {
				dist[a.node], t.Next[a.node] = uint32(c), a.edge
				t.heap.push(uint32(c), a.node)
			}
		}
	}
}
