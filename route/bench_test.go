package route

import (
	"testing"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
)

// pair is the ends of a path.
type pair struct{ src, dst int32 }

// sixHops is every pair of nodes whose path has six edges, and a table with all distances computed.
func sixHops(tb testing.TB, hops bool) (*Table, []pair) {
	t := asked(wan206(hops).graph(tb))
	var pairs []pair
	for s := range int32(206) {
		for d := range int32(206) {
			if p, _, ok := t.Path(s, d, 1, nil); ok && len(p) == 6 {
				pairs = append(pairs, pair{s, d})
			}
		}
	}
	return t, pairs
}

// asked is a table with the distances to all destinations computed.
func asked(g *Graph) *Table {
	t := NewTable(g)
	for d := range int32(g.Nodes()) {
		t.Dist(0, d)
	}
	return t
}

// TestAllocations holds what is asked for each flow to no allocation, and a change of one link to a
// fixed number beside one for each destination that it touches.
func TestAllocations(t *testing.T) {
	g := wan206(true).graph(t)
	table, pairs := sixHops(t, true)
	var tree Tree
	buf := make([]int32, 0, 16)
	i := 0
	for name, f := range map[string]func(){
		"Tree":     func() { g.Tree(int32(i%206), &tree) },
		"Path":     func() { table.Path(pairs[i%len(pairs)].src, pairs[i%len(pairs)].dst, uint64(i), buf[:0]) },
		"Dist":     func() { table.Dist(0, int32(i%206)) },
		"NextHops": func() { table.NextHops(0, int32(i%206), buf[:0]) },
	} {
		f()
		if n := testing.AllocsPerRun(500, func() { f(); i++ }); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
	var touched int
	next := table.With(Change{0, Down}, Change{1, Down})
	for d := range next.cells {
		if next.cells[d] != table.cells[d] {
			touched++
		}
	}
	if n := testing.AllocsPerRun(20, func() { table.With(Change{0, Down}, Change{1, Down}) }); n > float64(8+touched) {
		t.Errorf("With: %v allocations, want at most 8 and one for each of %d destinations", n, touched)
	}
}

// BenchmarkTree206 computes one shortest-path tree: P4.
func BenchmarkTree206(b *testing.B) {
	forEachCost(b, func(b *testing.B, n *network) {
		g := n.graph(b)
		var t Tree
		root := int32(0)
		b.ReportAllocs()
		for b.Loop() {
			g.Tree(root, &t)
			root = (root + 1) % 206
		}
	})
}

// BenchmarkTree206Gonum is the same with gonum, for the ratio in the same run. gonum gives the tree
// from a root; the mesh is symmetric.
func BenchmarkTree206Gonum(b *testing.B) {
	forEachCost(b, func(b *testing.B, n *network) {
		g := simple.NewWeightedDirectedGraph(0, 0)
		for _, e := range n.edges {
			g.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(e.From), T: simple.Node(e.To), W: float64(e.Cost)})
		}
		root := 0
		b.ReportAllocs()
		for b.Loop() {
			path.DijkstraFrom(simple.Node(root), g)
			root = (root + 1) % 206
		}
	})
}

// BenchmarkPath6Hops looks up a path of six hops, another pair and flow each time: P4.
func BenchmarkPath6Hops(b *testing.B) {
	forEachCost(b, func(b *testing.B, n *network) {
		t, pairs := sixHops(b, n.edges[0].Cost == 1)
		buf := make([]int32, 0, 16)
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			p := pairs[i]
			if i++; i == len(pairs) {
				i = 0
			}
			buf, _, _ = t.Path(p.src, p.dst, uint64(i), buf[:0])
		}
	})
}

// BenchmarkIncrementalLink takes links down and up in turn, all 206 destinations computed before.
//
//   - version: the owner's part, one With for both directions of a link.
//   - repair: the readers' part, one destination that the link touched. Its figure is ns per tree,
//     to be compared with BenchmarkTree206.
//   - whole: both, with all destinations asked for again: a table as good as new.
func BenchmarkIncrementalLink(b *testing.B) {
	forEachCost(b, func(b *testing.B, n *network) {
		g := n.graph(b)
		b.Run("version", func(b *testing.B) {
			t := asked(g)
			link := 0
			b.ReportAllocs()
			for b.Loop() {
				t.With(flip(t, link)...)
				link = (link + 1) % 416
			}
		})
		b.Run("repair", func(b *testing.B) {
			t := asked(g)
			d, s := &distances{to: make([]uint32, 206), nextHop: make([]uint8, 206)}, t.solver()
			type job struct {
				next *Table
				dst  int32
				from *distances
			}
			var jobs []job
			for link := range 416 {
				down := t.With(flip(t, link)...)
				for d := range down.cells {
					if from := down.cells[d].tree.Load(); from.pending != nil {
						jobs = append(jobs, job{down, int32(d), from})
					}
				}
			}
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				j := &jobs[i]
				if i++; i == len(jobs) {
					i = 0
				}
				copy(d.to, j.from.to)
				copy(d.nextHop, j.from.nextHop)
				s.costs = &j.next.costs
				s.repair(j.dst, d, j.from.pending)
			}
			b.ReportMetric(float64(len(jobs))/416, "trees/link")
		})
		b.Run("whole", func(b *testing.B) {
			t := asked(g)
			link := 0
			b.ReportAllocs()
			for b.Loop() {
				t = t.With(flip(t, link/2)...)
				for d := range int32(206) {
					t.Dist(0, d)
				}
				link = (link + 1) % 832
			}
		})
	})
}

// flip is the change that takes a link of the mesh down, or up again at the cost it had.
func flip(t *Table, link int) []Change {
	a, z := int32(2*link), int32(2*link+1)
	cost := Down
	if t.Cost(a) == Down {
		cost = t.Graph().Edge(a).Cost
	}
	return []Change{{a, cost}, {z, cost}}
}

func forEachCost(b *testing.B, f func(*testing.B, *network)) {
	b.Run("cost=length", func(b *testing.B) { f(b, wan206(false)) })
	b.Run("cost=1", func(b *testing.B) { f(b, wan206(true)) })
}
