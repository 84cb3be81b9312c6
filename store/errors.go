package store

import "errors"

// What a store refuses, or cannot do.
var (
	// ErrUnavailable: the store cannot serve now (no leader, not reached, closed). Nothing was done.
	ErrUnavailable = errors.New("the store is not available")
	// ErrUnknown: nobody can say whether a change was made, or will still be. Read back before doing anything that relies on it.
	ErrUnknown = errors.New("the store did not say whether it was done")
	// ErrFull: the store takes no changes, because its quota or its disk is full. Nothing was done; reading works. It takes changes
	// again, without a restart, when there is room.
	ErrFull = errors.New("the store is full")
	// ErrGone: the files of the store were deleted under it. What it takes, and what it took since, ends with the process; reading works.
	ErrGone = errors.New("the files of the store are gone")
	// ErrCompacted: the revision that was asked for has been discarded.
	ErrCompacted = errors.New("the revision has been compacted")
	// ErrFuture: the revision that was asked for has not been yet.
	ErrFuture = errors.New("the revision has not been yet")
	// ErrInvalid: the request can never be served: a key is empty, or changed twice in one transaction.
	ErrInvalid = errors.New("the request to the store is not valid")
	// ErrTooLarge: the request is larger than MaxTxnBytes, or has more than MaxTxnOps operations. Nothing was done.
	ErrTooLarge = errors.New("the request to the store is too large")
	// ErrNoLease: there is no such lease (any more).
	ErrNoLease = errors.New("there is no such lease")
)
