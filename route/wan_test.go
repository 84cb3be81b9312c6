package route

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// network is a graph's input: every link gives two edges, 2i and 2i+1, each the other's reverse.
type network struct {
	nodes   int
	edges   []Edge
	reverse []int32
}

func (n *network) link(a, b int32, cost uint32) {
	id := int32(len(n.edges))
	n.edges = append(n.edges, Edge{a, b, cost}, Edge{b, a, cost})
	n.reverse = append(n.reverse, id+1, id)
}

func (n *network) graph(t testing.TB) *Graph {
	t.Helper()
	g, err := NewGraph(n.nodes, n.edges, n.reverse)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// mesh is a wide-area mesh: nodes at random places on a plane, joined first into a tree by nearest
// neighbours, then by the shortest links that are missing to nodes of low degree, until there are
// links of them. The cost of a link is its length in some unit, or 1 with hops.
func mesh(seed uint64, nodes, links int, hops bool) *network {
	r := rand.New(rand.NewPCG(seed, 206))
	x, y := make([]float64, nodes), make([]float64, nodes)
	for i := range nodes {
		x[i], y[i] = r.Float64(), r.Float64()
	}
	length := func(a, b int) float64 { return math.Hypot(x[a]-x[b], y[a]-y[b]) }
	cost := func(a, b int) uint32 {
		if hops {
			return 1
		}
		return 1 + uint32(10000*length(a, b))
	}
	n := &network{nodes: nodes}
	joined := map[[2]int]bool{}
	degree := make([]int, nodes)
	join := func(a, b int) {
		joined[[2]int{min(a, b), max(a, b)}] = true
		degree[a]++
		degree[b]++
		n.link(int32(a), int32(b), cost(a, b))
	}
	for a := 1; a < nodes; a++ {
		near := 0
		for b := range a {
			if length(a, b) < length(a, near) {
				near = b
			}
		}
		join(a, near)
	}
	type pair struct {
		a, b int
		l    float64
	}
	var pairs []pair
	for a := range nodes {
		for b := range a {
			if !joined[[2]int{b, a}] {
				pairs = append(pairs, pair{a, b, length(a, b)})
			}
		}
	}
	slices.SortFunc(pairs, func(p, q pair) int {
		if p.l < q.l {
			return -1
		}
		return 1
	})
	for most := 5; len(n.edges) < 2*links; most++ {
		for _, p := range pairs {
			if len(n.edges) == 2*links {
				break
			}
			if !joined[[2]int{p.b, p.a}] && degree[p.a] < most && degree[p.b] < most {
				join(p.a, p.b)
			}
		}
	}
	return n
}

// wan206 is the mesh of the figures: 206 nodes, 416 links, 832 edges.
func wan206(hops bool) *network { return mesh(1, 206, 416, hops) }
