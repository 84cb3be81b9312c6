// Package topology turns the links of a network view into a graph that paths are computed in, and
// into a loop-free tree.
//
// # The problem
//
// Package route knows numbered nodes and edges, package netview knows switches, ports and links.
// Everything that asks for a path (applications, the API) needs the first computed from the second,
// current within a transaction of the view, at the price of what changed and not of the network's
// size, and readable from many goroutines without a lock.
//
// # Inputs and outputs
//
// A Source owns the map of a view: all that choose paths follow the view through it, and have one map.
// A Map is immutable: the graph at one revision of the view. Map.Next makes the next one from the
// changes since. Its paths are lists of hops: a switch, the port in, the port out; a Filter leaves out
// switches and links that a path is to avoid. A Forest is a
// spanning tree of each connected part of the network that changes as little as it can.
//
// # Invariants
//
//   - A link is used only when both its directions are up, so that a path and its reverse are both
//     possible.
//   - A link that is unconfirmed, or draining, counts before every metric (Cost): existing paths stay,
//     new ones avoid it where they can.
//   - The same view gives the same paths, in every instance, and after a restart: which of several paths
//     of equal cost is taken depends on the hash that is asked with and on the keys of the links.
//   - A forest never has a loop, and keeps every link it had that can still be used.
//
// The package is pure: no goroutine, no clock.
package topology
