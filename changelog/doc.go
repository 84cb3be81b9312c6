// Package changelog keeps the last changes of a state, for its watchers.
//
// # The problem
//
// Watchers want every change in its order, however many watch, and one that is slow must cost the
// writer nothing. The log is bounded; a watcher that is further behind takes a snapshot and
// continues from the snapshot's revision.
//
// # Inputs and outputs
//
// In: changes, each of a revision; several may be of one. Out: the changes after a revision, and a
// channel that is closed with the next one.
//
// # Invariants
//
//   - Revisions of changes never fall.
//   - Every change after Log.complete is in the log; Reaches reports whether that is all that a
//     watcher misses.
//   - The oldest changes are dropped where the limits of number or size would be exceeded. What is
//     dropped is no longer referred to.
//   - A Log has one owner at a time, who holds a lock of its own.
package changelog
