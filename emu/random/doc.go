// Package random is the randomness of an emulated network: small sources, seeded, each its owner's.
//
// # The problem
//
// A run of an emulated network is to be the same with the same seed, whatever the goroutines of its loops do first:
// so every link, host and switch has a source of its own. There are many of them: one is 8 bytes.
//
// # Inputs and outputs
//
// Seeded makes the source of one thing from the network's seed, the kind of thing and its number. A Source is for one
// goroutine at a time.
//
// # Invariants
//
//   - The same seed, kind and number give the same sequence, in every version: figures and histories are kept by
//     their seeds.
package random
