package route

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
)

// gonumGraph is a network for gonum, whose weighted graphs have no parallel edges: each edge
// becomes two, through a node of its own, so that costs are doubled and paths counted right. Edges
// that are Down are left out.
func gonumGraph(n *network, cost func(int32) uint32) *simple.WeightedDirectedGraph {
	g := simple.NewWeightedDirectedGraph(0, math.Inf(1))
	for i := range n.nodes {
		g.AddNode(simple.Node(i))
	}
	for id, e := range n.edges {
		c := cost(int32(id))
		if c == Down {
			continue
		}
		mid := simple.Node(n.nodes + id)
		g.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(e.From), T: mid, W: float64(c)})
		g.SetWeightedEdge(simple.WeightedEdge{F: mid, T: simple.Node(e.To), W: float64(c)})
	}
	return g
}

// TestGonum compares distances of all pairs, and the number of equal-cost paths of many, with
// gonum: in the mesh, with ties and without, and after links went down one by one, so that
// distances come from repairs.
func TestGonum(t *testing.T) {
	for _, hops := range []bool{false, true} {
		n := mesh(7, 60, 130, hops)
		n.link(0, 1, 3) // parallel, dearer and equal
		n.link(n.edges[0].From, n.edges[0].To, n.edges[0].Cost)
		table := NewTable(n.graph(t))
		for round := range 4 {
			all := path.DijkstraAllPaths(gonumGraph(n, table.Cost))
			for s := range n.nodes {
				for d := range n.nodes {
					want := all.Weight(int64(s), int64(d)) / 2
					got := float64(table.Dist(int32(s), int32(d)))
					if math.IsInf(want, 1) {
						want = float64(Unreachable)
					}
					if got != want {
						t.Fatalf("hops %v round %d: distance %d→%d is %v, gonum says %v", hops, round, s, d, got, want)
					}
					if s%7 == round && d%5 == 0 && want != float64(Unreachable) {
						paths, _ := all.AllBetween(int64(s), int64(d))
						if got := table.CountPaths(int32(s), int32(d)); got != uint64(len(paths)) {
							t.Fatalf("hops %v round %d: %d paths %d→%d, gonum says %d", hops, round, got, s, d, len(paths))
						}
					}
				}
			}
			for link := round; link < 20; link += 4 {
				table = table.With(Change{int32(2 * link), Down}, Change{int32(2*link + 1), Down})
			}
		}
	}
}
