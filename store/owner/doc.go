// Package owner lets one of several instances that share a store own it.
//
// # The problem
//
// Who decides must be one: two instances that both write to switches, each by what it knows, undo
// each other's work. A lock in the store is not enough, since a process that was stopped for a
// while does not know that its lock has gone. docs/design/0010-one-owner.md says why it is as it is.
//
// # Inputs and outputs
//
// A Claim is one instance's. Wait returns when it owns the store; until then it stands by. Hold says
// that it lives, until another takes the store, or may have: the context that it returns ends then (SteppedDown).
// Standbys are the others. Listener makes connections that are written to only while the ownership was checked
// recently. Terms number the owners, for switches, which refuse an earlier one (docs/design/0016-terms.md).
//
// # Who owns what
//
// Wait, then Hold's goroutine, then Release use the claim, one after the other. Standbys and the
// gate may be used from any goroutine.
//
// # Invariants
//
//   - Of all instances one owns the store at a time: it alone has the row "instances/owner", which
//     has a lease and ends with it.
//   - An owner writes to switches for gapLimit after the start of its last check at most: with the time of an orderly
//     end that is no longer than the lease. One that has not seen another stand by goes on while the store does not answer.
//   - No two owners have one term, and who comes later has a higher one.
//   - Who was the owner, and finds that another was meanwhile, is deposed, though that one has gone.
package owner
