package route

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestSpread: over many hashes every equal-cost next hop, and every one of parallel links, is used
// equally often. Hashes are as weak as callers may have them: counters, and counters in the high
// bits.
func TestSpread(t *testing.T) {
	n := &network{nodes: 6}
	for mid := int32(1); mid <= 4; mid++ { // 0 and 5, joined by four nodes, the first of them with two parallel links
		n.link(0, mid, 1)
		n.link(mid, 5, 1)
	}
	n.link(1, 5, 1)
	n.link(0, 5, 2)
	table := NewTable(n.graph(t))
	if got := table.CountPaths(0, 5); got != 6 {
		t.Fatalf("%d paths, want 6", got)
	}
	const flows = 10000
	for name, hash := range map[string]func(int) uint64{
		"low":  func(i int) uint64 { return uint64(i) },
		"high": func(i int) uint64 { return uint64(i) << 48 },
		"pair": func(i int) uint64 { return uint64(i%100)<<24 ^ uint64(i/100) },
	} {
		used := map[int32]int{}
		for i := range flows {
			path, _, _ := table.Path(0, 5, hash(i), nil)
			for _, e := range path {
				used[e]++
			}
		}
		// Node 0 has five next hops; node 1 has two.
		for _, first := range []int32{0, 4, 8, 12, 18} {
			if d := math.Abs(float64(used[first]) - flows/5); d > flows/5*0.1 {
				t.Errorf("%s: edge %d carries %d of %d flows, want a fifth", name, first, used[first], flows)
			}
		}
		if a, b := used[2], used[16]; math.Abs(float64(a-b)) > float64(a+b)*0.1 {
			t.Errorf("%s: parallel links carry %d and %d", name, a, b)
		}
	}
}

// TestOnlyFlowsOfALostEdgeMove: when one of several equal next hops goes, no other flow changes its
// path, and when it returns all are as before.
func TestOnlyFlowsOfALostEdgeMove(t *testing.T) {
	n := &network{nodes: 6}
	for mid := int32(1); mid <= 4; mid++ {
		n.link(0, mid, 1)
		n.link(mid, 5, 1)
	}
	before := NewTable(n.graph(t))
	after := before.With(Change{0, Down}, Change{1, Down})
	again := after.With(Change{0, 1}, Change{1, 1})
	moved := 0
	for h := range uint64(1000) {
		a, _, _ := before.Path(0, 5, h, nil)
		b, _, _ := after.Path(0, 5, h, nil)
		c, _, _ := again.Path(0, 5, h, nil)
		if a[0] != b[0] {
			moved++
			if a[0] != 0 {
				t.Fatalf("hash %d moved from edge %d to %d, edge 0 was lost", h, a[0], b[0])
			}
		}
		if a[0] != c[0] {
			t.Fatalf("hash %d is at edge %d after the repair, was at %d", h, c[0], a[0])
		}
	}
	if moved < 200 || moved > 300 {
		t.Errorf("%d of 1000 flows moved, want about a quarter", moved)
	}
}

// TestVersionsShare: a change opens new cells only for destinations whose distances may change, and
// a change among equal-cost choices for none.
func TestVersionsShare(t *testing.T) {
	n := &network{nodes: 5} // a ring of four with a double link between 0 and 1; node 4 hangs off 3
	for i := range int32(4) {
		n.link(i, (i+1)%4, 1)
	}
	n.link(3, 4, 1)
	n.link(0, 1, 1)
	table := NewTable(n.graph(t))
	for d := range int32(5) {
		table.Dist(0, d)
	}
	fresh := func(next *Table) (dsts []int) {
		for d := range next.cells {
			if next.cells[d] != table.cells[d] {
				dsts = append(dsts, d)
			}
		}
		return dsts
	}
	if f := fresh(table.With(Change{0, Down}, Change{1, Down})); f != nil {
		t.Errorf("a parallel link down opens cells of %v", f)
	}
	if f := fresh(table.With(Change{2, Down}, Change{3, Down})); len(f) != 2 { // 1-2: only between 1 and 2 is it the one way
		t.Errorf("link 1-2 down opens cells of %v, want those of 1 and 2", f)
	}
	if f := fresh(table.With(Change{9, Down})); len(f) != 4 { // 4→3 is the only way out of 4
		t.Errorf("edge 4→3 down opens cells of %v, want all but 4", f)
	}
	if table.With() != table || table.With(Change{0, 1}) != table {
		t.Error("no change, but a new version")
	}
}

// TestReaders runs readers beside an owner that takes a link down and up; every answer must be that
// of one version. With -race it also shows that nothing is shared unguarded.
func TestReaders(t *testing.T) {
	n := mesh(2, 60, 120, false)
	var current atomic.Pointer[Table]
	current.Store(NewTable(n.graph(t)))
	for range 20 {
		var wg sync.WaitGroup
		for reader := range int32(3) {
			wg.Go(func() {
				var buf []int32
				for d := range int32(60) {
					table := current.Load()
					var cost uint64
					buf, cost, _ = table.Path(reader, d, uint64(d), buf[:0])
					if cost != uint64(table.Dist(reader, d)) {
						t.Errorf("path %d→%d costs %d", reader, d, cost)
					}
				}
			})
		}
		current.Store(current.Load().With(Change{0, Down}, Change{1, Down}))
		current.Store(current.Load().With(Change{0, n.edges[0].Cost}, Change{1, n.edges[1].Cost}))
		wg.Wait()
	}
	last, fresh := current.Load(), NewTable(n.graph(t))
	for s := range int32(60) {
		for d := range int32(60) {
			if last.Dist(s, d) != fresh.Dist(s, d) {
				t.Fatalf("distance %d→%d is %d after 20 rounds, want %d", s, d, last.Dist(s, d), fresh.Dist(s, d))
			}
		}
	}
}

func TestNewGraphRefuses(t *testing.T) {
	e := func(edges ...Edge) []Edge { return edges }
	for want, c := range map[string]struct {
		nodes   int
		edges   []Edge
		reverse []int32
	}{
		"edge 0 joins 0 and 2, nodes are 0 to 1":  {2, e(Edge{0, 2, 1}), nil},
		"edge 0 joins -1 and 0":                   {2, e(Edge{-1, 0, 1}), nil},
		"edge 1 joins node 1 with itself":         {2, e(Edge{0, 1, 1}, Edge{1, 1, 1}), nil},
		"edge 0 costs 0":                          {2, e(Edge{0, 1, 0}), nil},
		"edge 0 costs 2147483648, want 1 to 2147": {3, e(Edge{0, 1, 1 << 31}), nil},
		"1 edges, 0 reverses":                     {2, e(Edge{0, 1, 1}), []int32{}},
		"edge 1 is not the reverse of edge 0":     {2, e(Edge{0, 1, 1}, Edge{0, 1, 1}), []int32{1, 0}},
		"edge 5 is not the reverse of edge 0":     {2, e(Edge{0, 1, 1}), []int32{5}},
	} {
		_, err := NewGraph(c.nodes, c.edges, c.reverse)
		if !errors.Is(err, ErrGraph) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	g, err := NewGraph(0, nil, nil)
	if err != nil || g.Nodes() != 0 {
		t.Error("no empty graph:", err)
	}
	if _, _, ok := NewTable(g).Path(0, 0, 0, nil); ok {
		t.Error("a path in an empty graph")
	}
}

// NextHops appends to buf every edge that a shortest path from src to dst may leave src by, in the
// graph's order.
func (t *Table) NextHops(src, dst int32, buf []int32) []int32 {
	to := t.to(dst).to
	if src == dst || to[src] == Unreachable {
		return buf
	}
	for _, a := range t.costs.out.of(src) {
		if uint64(to[a.node])+uint64(a.cost) == uint64(to[src]) {
			buf = append(buf, a.edge)
		}
	}
	return buf
}

// CountPaths is the number of different shortest paths from src to dst, 1 where src is dst, at most
// 2^64-1. It takes time and memory by the size of the graph.
func (t *Table) CountPaths(src, dst int32) uint64 {
	to := t.to(dst).to
	if to[src] == Unreachable {
		return 0
	}
	nodes := make([]int32, 0, t.costs.g.nodes) // those nearer than src, nearest first: each is counted before it is used
	for n := range int32(t.costs.g.nodes) {
		if to[n] < to[src] || n == src {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b int32) int { return int(int64(to[a]) - int64(to[b])) })
	count := make([]uint64, t.costs.g.nodes)
	count[dst] = 1
	for _, n := range nodes {
		for _, a := range t.costs.out.of(n) {
			if n != dst && uint64(to[a.node])+uint64(a.cost) == uint64(to[n]) {
				sum, carry := bits.Add64(count[n], count[a.node], 0)
				if carry != 0 {
					sum = math.MaxUint64
				}
				count[n] = sum
			}
		}
	}
	return count[src]
}
