// Package journal keeps many small records durable, as fast as a disk takes blocks of them.
//
// # The problem
//
// A key a record costs a store some 40 µs; records come a hundred thousand a second and most are withdrawn again soon. Rewriting
// what holds a record to withdraw it is slower still. So this is a log: records and withdrawals are committed together, a block of many
// a transaction, and what is dead is cleared away later, in the transactions that come anyway.
//
// # Inputs and outputs
//
// In: records, each a number and bytes, or the withdrawal of a number. Out: Append's done, when they are durable; after a start Load:
// the records that live, in the order in which they were appended. The log is the keys Prefix+"b"+sequence of a store, one a block;
// Prefix+"writer" is who writes: its term is in the conditions of every transaction, so that a writer that was replaced writes
// nothing more.
//
// # Invariants
//
//   - A record whose done was told without an error is given by every later Load, until a later record with its number is; the
//     records of one Append all or none.
//   - done is told once for each Append that was taken, in the order of Append, and with an error only if nothing of it was kept
//     (ErrUnknown where the journal ended before that could be known).
//   - While a store does not answer, only what one transaction holds waits for its outcome: what is behind it is refused in time
//     (Config.Answer), before it, and what comes is refused at once.
//   - The order of blocks is the order of records, also after merging, which takes neighbours only and puts them where they were.
//   - A block with less than half of its bytes alive is merged, so that no more is written again than was written; one with nothing
//     alive is deleted. A withdrawal stays as long as the log holds a record that it withdraws.
//   - One transaction at a time; what waits is bounded.
//
// Turn is one step, without a goroutine; Run (loop.go) calls it.
package journal
