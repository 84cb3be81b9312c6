// Package datadir is the data directory of an instance, and the store that it has or names.
//
// # The problem
//
// What operators say must outlive the instance, and be the instance's alone: two processes in one
// directory, a store that is begun anew because its files are gone, or a start that is refused and
// leaves a directory behind, are faults that nobody notices at once.
//
// # Inputs and outputs
//
// A Config names a directory and a store: embedded in it, in memory, or an etcd elsewhere. MakeLock
// makes the directory and takes its lock; Open opens the store; ClusterKey is the key of discovery
// frames; Restore fills a store from a backup, and Inventory says what is in one.
//
// # Invariants
//
//   - One process uses a directory at a time.
//   - A directory that had a store is not given a new one.
//   - What is restored into a directory appears whole or not at all.
package datadir
