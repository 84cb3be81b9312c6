package route

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"pgregory.net/rapid"
)

// allPaths is every path without a loop, in the order of Shortest, by trying everything.
func allPaths(n *network, src, dst int32) []Alternative {
	var all []Alternative
	var edges []int32
	seen := make([]bool, n.nodes)
	var visit func(at int32, cost uint64)
	visit = func(at int32, cost uint64) {
		if at == dst {
			all = append(all, Alternative{slices.Clone(edges), cost})
			return
		}
		seen[at] = true
		for id, e := range n.edges {
			if e.From == at && !seen[e.To] && e.Cost != Down {
				edges = append(edges, int32(id))
				visit(e.To, cost+uint64(e.Cost))
				edges = edges[:len(edges)-1]
			}
		}
		seen[at] = false
	}
	visit(src, 0)
	slices.SortFunc(all, compareAlternatives)
	return all
}

// drawSmall is a network small enough to try every path.
func drawSmall(t *rapid.T) (*network, *Table) {
	n := drawNetwork(t)
	n.nodes = max(n.nodes, 2)
	n.edges = n.edges[:min(len(n.edges), 16)]
	n.reverse = n.reverse[:len(n.edges)]
	for id, r := range n.reverse {
		if int(r) >= len(n.edges) {
			n.reverse[id] = -1
		}
	}
	g, err := NewGraph(n.nodes, n.edges, n.reverse)
	if err != nil {
		t.Fatal(err)
	}
	return n, NewTable(g)
}

// TestShortestAgainstAll compares with trying everything: the same costs in the same order; each
// path is one, and none comes twice.
func TestShortestAgainstAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, table := drawSmall(t)
		src := int32(rapid.IntRange(0, n.nodes-1).Draw(t, "src"))
		dst := int32(rapid.IntRange(0, n.nodes-1).Draw(t, "dst"))
		k := rapid.IntRange(1, 30).Draw(t, "k")
		all := allPaths(n, src, dst)
		got := table.Shortest(src, dst, k)
		if len(got) != min(k, len(all)) {
			t.Fatalf("%d paths %d→%d, want %d of %d", len(got), src, dst, k, len(all))
		}
		for i, p := range got {
			if p.Cost != all[i].Cost {
				t.Fatalf("path %d costs %d, want %d", i, p.Cost, all[i].Cost)
			}
			if !slices.ContainsFunc(all, func(a Alternative) bool { return a.Cost == p.Cost && slices.Equal(a.Edges, p.Edges) }) {
				t.Fatalf("%v is no path %d→%d", p, src, dst)
			}
			for _, q := range got[:i] {
				if slices.Equal(q.Edges, p.Edges) {
					t.Fatalf("%v twice", p)
				}
			}
		}
	})
}

// shares reports whether two paths share what they must not.
func shares(n *network, a, b Alternative, kind Disjointness) bool {
	for _, e := range a.Edges {
		for _, f := range b.Edges {
			if e == f || n.reverse[e] == f {
				return true
			}
			if kind == NodeDisjoint && n.edges[e].To == n.edges[f].To && e != a.Edges[len(a.Edges)-1] {
				return true
			}
		}
	}
	return false
}

// TestDisjointAgainstAll compares with trying every pair of paths.
func TestDisjointAgainstAll(t *testing.T) {
	found := map[Disjointness]int{}
	for range 10 {
		rapid.Check(t, func(t *rapid.T) {
			n, table := drawSmall(t)
			src := int32(rapid.IntRange(0, n.nodes-1).Draw(t, "src"))
			dst := (src + int32(rapid.IntRange(1, n.nodes-1).Draw(t, "dst"))) % int32(n.nodes)
			kind := rapid.SampledFrom([]Disjointness{EdgeDisjoint, NodeDisjoint}).Draw(t, "kind")
			all := allPaths(n, src, dst)
			best := infinity
			for i, a := range all {
				for _, b := range all[i:] {
					if a.Cost+b.Cost < best && !shares(n, a, b, kind) {
						best = a.Cost + b.Cost
					}
				}
			}
			pair, ok := table.Disjoint(src, dst, kind)
			if ok != (best != infinity) {
				t.Fatalf("found %v, want total %d", pair, best)
			}
			if !ok {
				return
			}
			found[kind]++
			if pair[0].Cost+pair[1].Cost != best || pair[0].Cost > pair[1].Cost || shares(n, pair[0], pair[1], kind) {
				t.Fatalf("found %v, want total %d", pair, best)
			}
			for _, p := range pair {
				if !slices.ContainsFunc(all,
					func(a Alternative) bool { return a.Cost == p.Cost && slices.Equal(a.Edges, p.Edges) }) {
					t.Fatalf("%v is no path %d→%d", p, src, dst)
				}
			}
		})
	}
	if found[EdgeDisjoint] < 20 || found[NodeDisjoint] < 20 {
		t.Errorf("too few networks with a pair to mean anything: %v", found)
	}
}

// TestTrap is the graph where the shortest path blocks every other: the pair must avoid its middle.
func TestTrap(t *testing.T) {
	n := &network{nodes: 4}
	n.link(0, 1, 1)
	n.link(1, 2, 1)
	n.link(2, 3, 1)
	n.link(0, 2, 5)
	n.link(1, 3, 5)
	table := NewTable(n.graph(t))
	for _, kind := range []Disjointness{EdgeDisjoint, NodeDisjoint} {
		pair, ok := table.Disjoint(0, 3, kind)
		if !ok || !slices.Equal(pair[0].Edges, []int32{0, 8}) || !slices.Equal(pair[1].Edges, []int32{6, 4}) ||
			pair[0].Cost+pair[1].Cost != 12 {
			t.Errorf("%v %v", pair, ok)
		}
	}
	if _, ok := table.With(Change{0, Down}, Change{1, Down}).Disjoint(0, 3, EdgeDisjoint); ok {
		t.Error("two paths over one link")
	}
}

// TestYenGonum compares costs of ten paths with gonum's in the mesh, which has no parallel links.
func TestYenGonum(t *testing.T) {
	n := mesh(5, 40, 80, false)
	table := NewTable(n.graph(t))
	g := simple.NewWeightedDirectedGraph(0, math.Inf(1))
	for _, e := range n.edges {
		g.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(e.From), T: simple.Node(e.To), W: float64(e.Cost)})
	}
	for dst := int32(1); dst < 40; dst += 3 {
		want := path.YenKShortestPaths(g, 10, math.Inf(1), simple.Node(0), simple.Node(dst))
		got := table.Shortest(0, dst, 10)
		if len(got) != len(want) {
			t.Fatalf("%d paths to %d, gonum has %d", len(got), dst, len(want))
		}
		for i, p := range want {
			cost := uint64(0)
			for j := range len(p) - 1 {
				cost += uint64(g.WeightedEdge(p[j].ID(), p[j+1].ID()).Weight())
			}
			if got[i].Cost != cost {
				t.Errorf("path %d to %d costs %d, gonum says %d", i, dst, got[i].Cost, cost)
			}
		}
	}
}
