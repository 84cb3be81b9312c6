// Package crowd keeps the connections whose peer is not identified yet: all of them, and those of
// each source address, in the order of their arrival.
//
// # The problem
//
// A listener must limit unidentified connections, or a stranger exhausts its resources. A limit
// that rejects new connections lets the first ones lock everybody else out; one that closes the
// oldest does not, because legitimate peers identify themselves soon. A limit for each source keeps
// an attacker from evicting the connections of other sources.
//
// # Inputs and outputs
//
// In: connections, with the source that SourceOf makes of an address; connections that were
// identified or closed. Out: their number, and the oldest.
//
// # Invariants
//
//   - Each connection is in the list of all once, and in the list of its source.
//   - A source without connections uses no memory.
//   - Adding, removing and finding the oldest take constant time. It has no lock: its owner has one.
package crowd
