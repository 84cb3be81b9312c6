// Package route finds paths in graphs. It knows nodes and edges by number and nothing of switches
// or OpenFlow.
//
// The problem: a controller asks for the path of every new flow, from several goroutines, a million
// times a second, while links fail, return and change their cost; and each answer must be a
// shortest path of a network as it was at one moment, spread evenly over equal-cost choices, the
// same in both directions.
//
// A Graph is the fixed part: nodes 0..n-1 and directed edges, whose id is their index. Parallel
// edges are allowed, costs are 1 or more. A Table is one immutable version of the costs, with the
// distances of all nodes to each destination, computed when a destination is first asked for.
// Table.With makes the next version: it shares the distances of every destination that the change
// does not touch and leaves the others to be repaired, not computed anew, by the first reader that
// wants them.
//
// # Ownership
//
// One owner makes versions; any number of readers use them. Nothing is locked:
//
//	var current atomic.Pointer[route.Table]               // where readers look
//	current.Store(current.Load().With(route.Change{…}))   // the owner
//	edges, cost, ok := current.Load().Path(a, b, hash, buf[:0])
//
// A reader that holds a version keeps seeing that version. Readers that need the same distances at
// the same time may compute them twice; one result wins. When nodes or edges are added, the owner
// builds a new Graph and Table.
//
// # Equal cost
//
// Which next hops are equal is not stored: an edge u→v is on a shortest path to d exactly when
// cost(u→v) + dist(v, d) = dist(u, d). So a version is distances and costs alone, and a change that
// opens or closes an equal-cost choice without changing a distance costs nothing.
//
// Among equal next hops the one with the highest score of (hash, edge) is taken (rendezvous
// hashing): flows spread evenly over them, parallel edges too, and when one disappears only the
// flows that used it move.
//
// Order of magnitude, 206 nodes and 832 edges: docs/benchmarks/route.md.
package route
