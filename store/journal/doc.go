// Package journal makes many small records durable, as fast as a disk writes blocks of them.
//
// # The problem
//
// One key per record costs a store some 40 µs; records arrive at a hundred thousand a second and
// most are withdrawn again soon. Rewriting a block to withdraw a record is slower still. So this is
// a log: records and withdrawals are committed together, many in one block and transaction, and
// dead records are removed later, in the transactions of new ones.
//
// # Inputs and outputs
//
// In: records, each a number and bytes, or the withdrawal of a number. Out: calls of Append's done,
// when they are durable; after a start Load: the live records, in the order in which they were
// appended. The log is the keys Prefix+"b"+sequence of a store, one for each block; Prefix+"writer"
// identifies the writer: its term is in the conditions of every transaction, so that a replaced
// writer is fenced off.
//
// A Follower is told what another writer commits, by a watch, and becomes the writer in one transaction
// (Promote), whatever the number of records. What a merge drops it finds without the values of the blocks
// that were merged: it keeps their records' numbers, 4 bytes each.
//
// # Invariants
//
//   - A record whose done was called without an error is returned by every later Load, until a later
//     record with its number is; the records of one Append all or none.
//   - done is called once for each accepted Append, in the order of Append, and with an error
//     only if nothing of it was kept (ErrUnknown if the journal ended before that could be known).
//   - While a store does not answer, only the records of one transaction wait for its outcome: those
//     behind it are rejected in time (Config.Answer), and new ones at once.
//   - The order of blocks is the order of records, also after merging, which replaces neighbours only.
//   - A block with less than half of its bytes live is merged, so that no more is rewritten than was
//     written; one with nothing live is deleted. A withdrawal stays as long as the log holds a record
//     that it withdraws.
//   - A Follower knows at each revision what one knows who reads all blocks. What it is told that does not
//     follow from what it knows has it read all again.
//   - One transaction at a time; the waiting records are bounded.
//
// Turn is one step, without a goroutine; Run (loop.go) calls it, as a Follower's Run its steps.
package journal
