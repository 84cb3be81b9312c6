// Package store keeps what an instance cannot compute again: intents, configuration, keys, terms.
//
// # The problem
//
// What was accepted must be there after whatever fault is tolerated, in one order for everybody, and who writes must not undo
// what another wrote meanwhile. So there is one contract for a small replicated map of keys to values, with one revision for all of
// it, and everything that is durable is kept through it.
//
// # Inputs and outputs
//
// In: transactions (conditions, then changes). Out: revisions, pages of pairs at a revision, watches. Two stores keep the contract:
// Memory, the twin in this process with faults that can be injected, and package store/etcd, etcd in this process or elsewhere.
// Package storetest holds both to it.
//
// # Invariants
//
//   - A transaction that returned no error is durable: on the disks of a majority, synchronised.
//   - ErrUnavailable, ErrFull, ErrInvalid and ErrTooLarge mean: nothing was done. Any other error of a transaction is or wraps
//     ErrUnknown: it may have been done, may still be, or never.
//   - Every transaction that changed something has a revision of its own, one more than the one before; all its changes carry it.
//   - A range at a revision is what was there after it; a watch tells each change once, in order, without gaps, the changes of
//     one revision together.
//   - What a compaction discarded is refused by name (ErrCompacted), never left out silently.
package store
