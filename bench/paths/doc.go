// Package paths draws the paths that benchmarks ask for, writes the requests for them, and says
// where they should lead.
//
// # The problem
//
// A generator, the switches and the null instance must mean the same path by a number, without
// telling each other and without keeping a million of them. And a request of a thousand paths must
// cost the generator less than the instance that reads it.
//
// # Inputs and outputs
//
// In: a network of emulated switches, a number of hops and a seed. Out: the n-th path (At); its
// request as JSON, lines of JSON or protobuf, and whether an answer accepts it (Form); its flow-mod
// at a switch (Mod); whether the switches' entries lead to its end (Follow). Shortest has the
// shortest paths over the links that are up.
//
// # Invariants
//
//   - Equal networks, hops and seeds give equal paths, in any process.
//   - Two paths never share both addresses.
package paths
