package route

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Limits and special values.
const (
	Down        uint32 = math.MaxUint32 // cost of an edge that cannot be used
	Unreachable uint32 = math.MaxUint32 // distance where there is no path
)

// ErrGraph is wrapped by the errors of NewGraph and NewKeyedGraph.
var ErrGraph = errors.New("route: not a graph")

// Edge is a directed edge; its id is its index in the slice given to NewGraph. Cost is 1 to
// Graph.MaxCost, or Down.
type Edge struct {
	From, To int32
	Cost     uint32
}

// Graph is the fixed part of a network: its nodes, its edges and their initial costs. It is
// immutable and safe for concurrent use.
type Graph struct {
	nodes   int
	edges   []Edge
	reverse []int32  // by edge, -1 without; nil if no edge has one
	keys    []uint64 // by edge: what the choice among equal costs goes by
	out, in adjacency
}

// adjacency holds the edges by node in compressed sparse rows: those of node n are
// arcs[start[n]:start[n+1]].
type adjacency struct {
	start []int32
	arcs  []arc
	at    []int32 // by edge: its index in arcs
}

// arc is an edge as seen from one of its ends.
type arc struct {
	node int32 // the other end
	cost uint32
	edge int32
}

// NewGraph builds a graph of nodes 0 to nodes-1; edges are copied. reverse maps each edge to the id
// of its other direction, or -1; nil if no edge has one. The error wraps ErrGraph: an end out of
// range, a loop, a cost of 0 or above the maximum, a reverse that is not one.
//
// Paths of equal cost are chosen by the numbers of edges: see NewKeyedGraph.
func NewGraph(nodes int, edges []Edge, reverse []int32) (*Graph, error) {
	keys := make([]uint64, len(edges))
	for id := range keys {
		keys[id] = (uint64(id) + 1) * 0x9e3779b97f4a7c15
	}
	return NewKeyedGraph(nodes, edges, reverse, keys)
}

// NewKeyedGraph is NewGraph with a key for each edge, which must be well mixed. Which of several paths
// of equal cost a flow takes depends on the keys of their edges, on the order of the two ends' numbers,
// and, between edges of one key, on the order of their numbers: on nothing else. So two graphs choose
// alike if the same edge has the same key in both, and if both number in the same order.
func NewKeyedGraph(nodes int, edges []Edge, reverse []int32, keys []uint64) (*Graph, error) {
	if len(keys) != len(edges) {
		return nil, fmt.Errorf("%w: %d edges, %d keys", ErrGraph, len(edges), len(keys))
	}
	g := &Graph{nodes: nodes, edges: slices.Clone(edges), keys: slices.Clone(keys)}
	for id, e := range edges {
		switch {
		case e.From < 0 || int(e.From) >= nodes || e.To < 0 || int(e.To) >= nodes:
			return nil, fmt.Errorf("%w: edge %d joins %d and %d, nodes are 0 to %d", ErrGraph, id, e.From, e.To, nodes-1)
		case e.From == e.To:
			return nil, fmt.Errorf("%w: edge %d joins node %d with itself", ErrGraph, id, e.From)
		case !g.validCost(e.Cost):
			return nil, fmt.Errorf("%w: edge %d costs %d, want 1 to %d, or Down", ErrGraph, id, e.Cost, g.MaxCost())
		}
	}
	if reverse != nil {
		if err := checkReverse(edges, reverse); err != nil {
			return nil, err
		}
		g.reverse = slices.Clone(reverse)
	}
	g.out = newAdjacency(nodes, edges, func(e Edge) (int32, int32) { return e.From, e.To })
	g.in = newAdjacency(nodes, edges, func(e Edge) (int32, int32) { return e.To, e.From })
	return g, nil
}

// Nodes returns the number of nodes.
func (g *Graph) Nodes() int { return g.nodes }

// Edges returns the number of directed edges.
func (g *Graph) Edges() int { return len(g.edges) }

// Edge returns an edge with its initial cost.
func (g *Graph) Edge(id int32) Edge { return g.edges[id] }

// Reverse returns the id of the edge's other direction, -1 if there is none.
func (g *Graph) Reverse(id int32) int32 {
	if g.reverse == nil {
		return -1
	}
	return g.reverse[id]
}

// MaxCost returns the highest cost that an edge may have: no sum along a path reaches Unreachable.
func (g *Graph) MaxCost() uint32 { return MaxCost(g.nodes) }

// MaxCost is Graph.MaxCost of a graph with so many nodes.
func MaxCost(nodes int) uint32 { return (math.MaxUint32 - 1) / uint32(max(1, nodes-1)) }

func (g *Graph) validCost(c uint32) bool { return c == Down || c >= 1 && c <= g.MaxCost() }

func checkReverse(edges []Edge, reverse []int32) error {
	if len(reverse) != len(edges) {
		return fmt.Errorf("%w: %d edges, %d reverses", ErrGraph, len(edges), len(reverse))
	}
	for id, r := range reverse {
		if r == -1 {
			continue
		}
		if r < 0 || int(r) >= len(edges) || reverse[r] != int32(id) || edges[r].From != edges[id].To ||
			edges[r].To != edges[id].From {
			return fmt.Errorf("%w: edge %d is not the reverse of edge %d", ErrGraph, r, id)
		}
	}
	return nil
}

func newAdjacency(nodes int, edges []Edge, ends func(Edge) (at, other int32)) adjacency {
	a := adjacency{start: make([]int32, nodes+1), arcs: make([]arc, len(edges)), at: make([]int32, len(edges))}
	for _, e := range edges {
		n, _ := ends(e)
		a.start[n+1]++
	}
	for n := range nodes {
		a.start[n+1] += a.start[n]
	}
	next := slices.Clone(a.start)
	for id, e := range edges {
		n, other := ends(e)
		a.arcs[next[n]] = arc{node: other, cost: e.Cost, edge: int32(id)}
		a.at[id] = next[n]
		next[n]++
	}
	return a
}

// of returns the arcs of a node.
func (a *adjacency) of(node int32) []arc { return a.arcs[a.start[node]:a.start[node+1]] }

// clone returns a copy that shares all but the costs.
func (a *adjacency) clone() adjacency {
	return adjacency{start: a.start, arcs: slices.Clone(a.arcs), at: a.at}
}
