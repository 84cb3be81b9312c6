// Package store keeps the state that an instance cannot recompute: intents, configuration, keys,
// terms.
//
// # The problem
//
// What was accepted must survive every tolerated fault, in one order for all readers, and
// concurrent writers must not overwrite each other. So there is one contract for a small replicated
// map of keys to values, with one revision for all of it, and everything durable is kept through
// it.
//
// # Inputs and outputs
//
// In: transactions (conditions, then changes). Out: revisions, pages of pairs at a revision,
// watches. Two stores implement the contract: Memory, in this process with faults that can be
// injected, and package store/etcd, etcd in this process or elsewhere. Package storetest tests
// both.
//
// # Invariants
//
//   - A transaction that returned no error is durable: fsynced on the disks of a majority.
//   - ErrUnavailable, ErrFull, ErrInvalid and ErrTooLarge mean: nothing was done. Any other error
//     of a transaction is or wraps ErrUnknown: it may have been done, may still be, or never.
//   - Every transaction that changed something has a revision of its own, one more than the one
//     before; all its changes carry it.
//   - A range at a revision returns the state after it; a watch reports each change once, in order,
//     without gaps, the changes of one revision together.
//   - Access to a compacted revision is refused (ErrCompacted), never incomplete without an error.
package store
