// Package route finds shortest paths in graphs of numbered nodes and edges. It knows nothing of
// switches or OpenFlow.
//
// # The problem
//
// A controller asks for the path of every new flow, from several goroutines, a million times a
// second, while links fail, return and change their cost. Each answer must be a shortest path of the
// network as it was at one moment; equal-cost paths must be used evenly, and a flow must take the
// same path in both directions.
//
// # Inputs and outputs
//
// A Graph is the fixed part: nodes 0..n-1 and directed edges, whose id is their index. Parallel
// edges are allowed, costs are 1 or more. A Table is one immutable version of the costs, with the
// distances of all nodes to each destination, computed when a destination is first asked for.
// Table.With returns the next version: it shares the distances that the change does not affect; the
// others are repaired, not computed anew, by the first reader that asks for them.
//
// # Ownership
//
// One owner creates versions; any number of readers use them, without a lock:
//
//	var current atomic.Pointer[route.Table]               // where readers look
//	current.Store(current.Load().With(route.Change{…}))   // the owner
//	edges, cost, ok := current.Load().Path(a, b, hash, buf[:0])
//
// A version that a reader holds does not change. Readers that need the same distances at the same
// time may both compute them; one result is kept. When nodes or edges are added, the owner builds a
// new Graph and Table.
//
// # Equal cost
//
// Equal-cost next hops are not stored: an edge u→v is on a shortest path to d exactly if
// cost(u→v) + dist(v, d) = dist(u, d). So a version is distances and costs alone. Of several next
// hops the one with the highest score of (hash, key of the edge) is taken (rendezvous hashing): they are
// used evenly, parallel edges included, and when one disappears only the flows that used it move. Keys
// belong to edges (NewKeyedGraph), numbers to one graph: with keys the choice does not depend on what
// else the graph has, or had.
//
// Figures for 206 nodes and 832 edges: docs/benchmarks/route.md.
package route
