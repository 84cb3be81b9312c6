// Package index is a map from 64-bit keys that any goroutine reads without a lock.
//
// # The problem
//
// Every packet-in looks up hosts and switches, on the goroutine of its switch; they change seldom, and only
// one goroutine changes them.
//
// # Inputs and outputs
//
// Get, and Each, on any goroutine; Put, Remove and Keep on the one that owns the index, or under a lock of
// its owner's.
//
// # Invariants
//
//   - A reader sees each key as it was before a change, or as it is after it.
//   - A change copies one of 256 parts.
package index
