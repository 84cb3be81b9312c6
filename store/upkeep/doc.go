// Package upkeep keeps a store small: it discards history, and gives freed pages back to the disk.
//
// # The problem
//
// A store keeps every value that ever was, until it is told to discard them: with fifty thousand withdrawals a second its quota would
// be used up within minutes. What is discarded stays in its file as free pages; giving them back stops writers for a moment.
//
// # Inputs and outputs
//
// In: the store's status, every second. Out: Compact every ten seconds, or when its file has grown by 256 MiB, at a revision of a
// second ago or more; Defragment when nothing has been written for a while and much of the file is free, and at once where the store
// takes nothing because its quota is used up.
//
// # Invariants
//
//   - What somebody reads page by page at one revision is there for a second at least (Snapshot holds it as long as it takes).
//   - A store that has nothing to discard is left alone.
//
// Turn is one step; Run (loop.go) calls it.
package upkeep
