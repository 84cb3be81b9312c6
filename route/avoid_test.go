package route

import (
	"slices"
	"strconv"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"pgregory.net/rapid"
)

// TestPathAvoiding compares paths that avoid nodes and links with those of a table in which these are
// down: the same path for each hash, in either direction, with ties, one-way edges and parallel links.
func TestPathAvoiding(t *testing.T) {
	for round := range 5 {
		t.Run(strconv.Itoa(round), rapid.MakeCheck(compareAvoiding))
	}
}

func compareAvoiding(t *rapid.T) {
	n := drawNetwork(t)
	g, err := NewGraph(n.nodes, n.edges, n.reverse)
	if err != nil {
		t.Fatal(err)
	}
	table := NewTable(g)
	if len(n.edges) > 0 && rapid.Bool().Draw(t, "changed") {
		table = table.With(Change{0, drawCost(t, 5)})
	}
	var avoid Avoid
	for range rapid.IntRange(0, 2).Draw(t, "nodes") {
		avoid.Nodes = append(avoid.Nodes, int32(rapid.IntRange(0, n.nodes-1).Draw(t, "node")))
	}
	for range rapid.IntRange(0, 2).Draw(t, "edges") {
		if len(n.edges) == 0 {
			break
		}
		edge := int32(rapid.IntRange(0, len(n.edges)-1).Draw(t, "edge"))
		if avoid.Edges = append(avoid.Edges, edge); n.reverse[edge] >= 0 {
			avoid.Edges = append(avoid.Edges, n.reverse[edge])
		}
	}
	var changes []Change
	for id, e := range n.edges {
		if slices.Contains(avoid.Edges, int32(id)) || slices.Contains(avoid.Nodes, e.From) || slices.Contains(avoid.Nodes, e.To) {
			changes = append(changes, Change{int32(id), Down})
		}
	}
	without := table.With(changes...)
	for s := range int32(n.nodes) {
		for d := range int32(n.nodes) {
			hash := rapid.Uint64().Draw(t, "hash")
			got, cost, ok := table.PathAvoiding(s, d, hash, &avoid, []int32{77})
			if slices.Contains(avoid.Nodes, s) || slices.Contains(avoid.Nodes, d) {
				if ok {
					t.Fatalf("path %d→%d: %v, though it begins or ends where none may be", s, d, got)
				}
				continue
			}
			want, wantCost, wantOK := without.Path(s, d, hash, []int32{77})
			if ok != wantOK || cost != wantCost || !slices.Equal(got, want) {
				t.Fatalf("path %d→%d without %+v: %v costs %d %t, want %v, %d %t",
					s, d, avoid, got, cost, ok, want, wantCost, wantOK)
			}
		}
	}
}

// TestAllocationBudgetOfAvoiding: neither a path that is left nor one that is searched allocates.
func TestAllocationBudgetOfAvoiding(t *testing.T) {
	need.NoRace(t)
	table, pairs := sixHops(t, true)
	buf := make([]int32, 0, 64)
	for name, avoid := range map[string]*Avoid{
		"nothing": {}, "a link elsewhere": {Edges: []int32{0, 1}}, "what the path meets": {},
	} {
		p := pairs[0]
		if name == "what the path meets" {
			edges, _, _ := table.Path(p.src, p.dst, 1, nil)
			avoid = &Avoid{Nodes: []int32{table.Graph().Edge(edges[2]).To}}
		}
		f := func() { table.PathAvoiding(p.src, p.dst, 1, avoid, buf[:0]) }
		f()
		if n := testing.AllocsPerRun(200, f); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

// BenchmarkPathAvoiding looks up a path of six hops that avoids a switch: one elsewhere, and the third
// of its own.
func BenchmarkPathAvoiding(b *testing.B) {
	table, pairs := sixHops(b, true)
	for _, own := range []bool{false, true} {
		b.Run("own="+strconv.FormatBool(own), func(b *testing.B) {
			buf, i := make([]int32, 0, 64), 0
			avoid := make([]Avoid, len(pairs))
			for i, p := range pairs {
				edges, _, _ := table.Path(p.src, p.dst, 1, nil)
				for node := int32(0); len(avoid[i].Nodes) == 0; node++ {
					meets := node == p.src ||
						slices.ContainsFunc(edges, func(e int32) bool { return table.Graph().Edge(e).To == node })
					if !own && !meets {
						avoid[i].Nodes = []int32{node}
					} else if own {
						avoid[i].Nodes = []int32{table.Graph().Edge(edges[2]).To}
					}
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				p := pairs[i]
				table.PathAvoiding(p.src, p.dst, 1, &avoid[i], buf[:0])
				if i++; i == len(pairs) {
					i = 0
				}
			}
		})
	}
}
