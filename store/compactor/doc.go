// Package compactor compacts and defragments a store: it discards history, and gives freed pages
// back to the disk.
//
// # The problem
//
// A store keeps every earlier value until it is compacted: with fifty thousand
// withdrawals a second its quota would be used up within minutes. Discarded values stay in
// its file as free pages; defragmentation stops writers for a moment.
//
// # Inputs and outputs
//
// In: the store's status, every second. Out: Compact every ten seconds, or when its file has grown
// by 256 MiB, at a revision of a second ago or more; Defragment when nothing has been written for a
// while and much of the file is free, and at once if the store accepts no writes because its quota
// is used up.
//
// # Invariants
//
//   - A revision stays readable for at least a second, for readers that go page by page (Snapshot
//     holds it as long as it takes).
//   - A store without new revisions is not compacted.
//
// Turn is one step; Run (loop.go) calls it.
package compactor
