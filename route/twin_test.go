package route

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// twin is the dumb model: costs by edge, all distances by relaxing until nothing changes, after
// every change.
type twin struct {
	n    *network
	cost []uint32
	dist [][]uint64 // by source, destination
}

func newTwin(n *network) *twin {
	w := &twin{n: n}
	for _, e := range n.edges {
		w.cost = append(w.cost, e.Cost)
	}
	w.settle()
	return w
}

func (w *twin) settle() {
	w.dist = make([][]uint64, w.n.nodes)
	for s := range w.dist {
		w.dist[s] = slices.Repeat([]uint64{infinity}, w.n.nodes)
		w.dist[s][s] = 0
	}
	for changed := true; changed; {
		changed = false
		for id, e := range w.n.edges {
			for d := range w.n.nodes {
				if c := uint64(w.cost[id]) + w.dist[e.To][d]; w.cost[id] != Down && c < w.dist[e.From][d] {
					w.dist[e.From][d], changed = c, true
				}
			}
		}
	}
}

func (w *twin) count(s, d int) uint64 {
	if s == d {
		return 1
	}
	var n uint64
	for id, e := range w.n.edges {
		if int(e.From) == s && w.cost[id] != Down && w.dist[s][d] < infinity &&
			uint64(w.cost[id])+w.dist[e.To][d] == w.dist[s][d] {
			n += w.count(int(e.To), d)
		}
	}
	return n
}

// fresh is a table of the same costs without history.
func (w *twin) fresh(t *rapid.T) *Table {
	edges := slices.Clone(w.n.edges)
	for id := range edges {
		edges[id].Cost = w.cost[id]
	}
	g, err := NewGraph(w.n.nodes, edges, w.n.reverse)
	if err != nil {
		t.Fatal(err)
	}
	return NewTable(g)
}

func (w *twin) asymmetric() int {
	n := 0
	for id, c := range w.cost {
		if r := w.n.reverse[id]; c != Down && (r < 0 || w.cost[r] != c) {
			n++
		}
	}
	return n
}

// check compares one pair of a version with the twin, and the path with what a path must be.
func (w *twin) check(t *Table, s, d int, hash uint64) error {
	want := w.dist[s][d]
	got := uint64(t.Dist(int32(s), int32(d)))
	if want == infinity {
		want = uint64(Unreachable)
	}
	if got != want {
		return fmt.Errorf("distance %d→%d is %d, want %d", s, d, got, want)
	}
	if got, want := t.CountPaths(int32(s), int32(d)), w.count(s, d); got != want {
		return fmt.Errorf("%d shortest paths %d→%d, want %d", got, s, d, want)
	}
	prefix := []int32{77}
	path, cost, ok := t.Path(int32(s), int32(d), hash, prefix)
	if ok != (want != uint64(Unreachable)) {
		return fmt.Errorf("path %d→%d: ok %v, distance %d", s, d, ok, want)
	}
	if !ok {
		return nil
	}
	if path[0] != 77 || cost != want {
		return fmt.Errorf("path %d→%d: %v costs %d, want %d", s, d, path, cost, want)
	}
	if err := w.follow(path[1:], s, d, want); err != nil {
		return err
	}
	return w.checkMirror(t, s, d, hash, path[1:])
}

func (w *twin) follow(path []int32, s, d int, want uint64) error {
	at, sum := s, uint64(0)
	for _, id := range path {
		if int(w.n.edges[id].From) != at {
			return fmt.Errorf("path %d→%d: %v does not join", s, d, path)
		}
		at, sum = int(w.n.edges[id].To), sum+uint64(w.cost[id])
	}
	if at != d || sum != want {
		return fmt.Errorf("path %d→%d: %v ends at %d and costs %d, want %d", s, d, path, at, sum, want)
	}
	return nil
}

// checkMirror: a path whose edges all have equal reverses, between nodes equally far both ways, is
// the reverse of the path back.
func (w *twin) checkMirror(t *Table, s, d int, hash uint64, path []int32) error {
	if w.dist[s][d] != w.dist[d][s] {
		return nil
	}
	var want []int32
	for _, id := range slices.Backward(path) {
		r := w.n.reverse[id]
		if r < 0 || w.cost[r] != w.cost[id] {
			return nil
		}
		want = append(want, r)
	}
	back, _, ok := t.Path(int32(d), int32(s), hash, nil)
	if !ok || !slices.Equal(back, want) && w.asymmetric() == 0 {
		return fmt.Errorf("path %d→%d is %v, back %v, want %v", s, d, path, back, want)
	}
	if s < d && !slices.Equal(back, want) { // the lower node decides
		return fmt.Errorf("path %d→%d is %v, back %v, want %v", s, d, path, back, want)
	}
	return nil
}

// drawNetwork makes a small graph with parallel links, one-way edges and ties.
func drawNetwork(t *rapid.T) *network {
	n := &network{nodes: rapid.IntRange(1, 9).Draw(t, "nodes")}
	if n.nodes == 1 {
		return n
	}
	most := uint32(rapid.SampledFrom([]int{1, 3, 1000}).Draw(t, "most"))
	symmetric := rapid.Bool().Draw(t, "symmetric")
	for range rapid.IntRange(0, 20).Draw(t, "links") {
		a := int32(rapid.IntRange(0, n.nodes-1).Draw(t, "a"))
		b := (a + int32(rapid.IntRange(1, n.nodes-1).Draw(t, "b"))) % int32(n.nodes)
		cost := drawCost(t, most)
		if symmetric || rapid.Bool().Draw(t, "both") {
			n.link(a, b, cost)
		} else {
			n.edges = append(n.edges, Edge{a, b, cost})
			n.reverse = append(n.reverse, -1)
		}
	}
	return n
}

func drawCost(t *rapid.T, most uint32) uint32 {
	if rapid.IntRange(0, 4).Draw(t, "down") == 0 {
		return Down
	}
	return rapid.Uint32Range(1, most).Draw(t, "cost")
}

// TestTableAgainstTwin changes random edges, alone and in batches, asks for some distances between
// (so that cells are empty, whole or pending at each change), and compares every pair of every
// version; the version before must stay as it was.
func TestTableAgainstTwin(t *testing.T) {
	for round := range 10 { // 100 networks each, unless -rapid.checks says otherwise
		t.Run(strconv.Itoa(round), rapid.MakeCheck(compareVersions))
	}
}

func compareVersions(t *rapid.T) {
	n := drawNetwork(t)
	g, err := NewGraph(n.nodes, n.edges, n.reverse)
	if err != nil {
		t.Fatal(err)
	}
	w := newTwin(n)
	table := NewTable(g)
	compare := func(label string, table *Table, w *twin) {
		if table.costs.asymmetric != w.asymmetric() {
			t.Fatalf("%s: %d asymmetric edges, want %d", label, table.costs.asymmetric, w.asymmetric())
		}
		fresh := w.fresh(t)
		for s := range n.nodes {
			for d := range n.nodes {
				hash := rapid.Uint64().Draw(t, "hash")
				if err := w.check(table, s, d, hash); err != nil {
					t.Fatalf("%s: %v", label, err)
				}
				got, _, _ := table.Path(int32(s), int32(d), hash, nil)
				want, _, _ := fresh.Path(int32(s), int32(d), hash, nil)
				if !slices.Equal(got, want) {
					t.Fatalf("%s: path %d→%d is %v, in a new table %v: it depends on history", label, s, d, got, want)
				}
			}
		}
	}
	for range rapid.IntRange(1, 6).Draw(t, "versions") {
		for range rapid.IntRange(0, 2*n.nodes).Draw(t, "asked") {
			table.Dist(0, int32(rapid.IntRange(0, n.nodes-1).Draw(t, "dst")))
		}
		var changes []Change
		before := slices.Clone(w.cost)
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			if len(n.edges) == 0 {
				break
			}
			id := int32(rapid.IntRange(0, len(n.edges)-1).Draw(t, "edge"))
			c := Change{id, drawCost(t, 5)}
			changes = append(changes, c)
			w.cost[id] = c.Cost
			if r := n.reverse[id]; r >= 0 && rapid.Bool().Draw(t, "both ways") {
				changes = append(changes, Change{r, c.Cost})
				w.cost[r] = c.Cost
			}
		}
		old := table
		table = table.With(changes...)
		if slices.Equal(before, w.cost) && len(changes) < 2 && old != table {
			t.Fatal("a new version without a change")
		}
		w.settle()
		if rapid.IntRange(0, 2).Draw(t, "look") > 0 {
			compare("new", table, w)
		}
		if rapid.IntRange(0, 3).Draw(t, "look back") == 0 {
			was := &twin{n: n, cost: before}
			was.settle()
			compare("old", old, was)
		}
	}
	compare("last", table, w)
	checkTrees(t, g, table, w)
}

// checkTrees: trees of the graph and of the last version have the distances of their costs, and
// each next edge leads on at its distance.
func checkTrees(t *rapid.T, g *Graph, table *Table, last *twin) {
	var tree Tree
	first := newTwin(last.n)
	for root := range int32(g.Nodes()) {
		for _, of := range []struct {
			w    *twin
			fill func(int32, *Tree)
		}{{first, g.Tree}, {last, table.Tree}} {
			of.fill(root, &tree)
			for n, d := range tree.Dist {
				want, next := of.w.dist[n][root], tree.Next[n]
				if want == infinity || int32(n) == root {
					if next != -1 || want == infinity && d != Unreachable || want != infinity && d != 0 {
						t.Fatalf("node %d to root %d: distance %d, next %d", n, root, d, next)
					}
					continue
				}
				if uint64(d) != want || uint64(of.w.cost[next])+of.w.dist[of.w.n.edges[next].To][root] != want ||
					int(of.w.n.edges[next].From) != n {
					t.Fatalf("node %d to root %d: distance %d want %d, next %d", n, root, d, want, next)
				}
			}
		}
	}
}

// TestManyChangesUnread: more changes than a pending tree keeps, none of them read, end right as
// well.
func TestManyChangesUnread(t *testing.T) {
	n := mesh(3, 40, 80, true)
	table := NewTable(n.graph(t))
	w := newTwin(n)
	for d := range 40 {
		table.Dist(0, int32(d))
	}
	for i := range 2 * maxPending {
		id := int32(i * 7 % len(n.edges))
		w.cost[id] = uint32(1 + i%3)
		table = table.With(Change{id, w.cost[id]})
	}
	w.settle()
	for s := range 40 {
		for d := range 40 {
			if err := w.check(table, s, d, uint64(s)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
