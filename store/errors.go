package store

import "errors"

// Errors of a store.
var (
	// ErrUnavailable: the store cannot serve now (no leader, not reached, closed). Nothing was
	// done.
	ErrUnavailable = errors.New("the store is not available")
	// ErrUnknown: it is unknown whether a change was made, or will still be. Read back before
	// relying on it.
	ErrUnknown = errors.New("the store did not say whether it was done")
	// ErrFull: the store accepts no changes, because its quota or its disk is full. Nothing was
	// done; reading works. It accepts changes again, without a restart, when there is room.
	ErrFull = errors.New("the store is full")
	// ErrGone: the files of the store were deleted. Changes since then are lost with the process;
	// reading works.
	ErrGone = errors.New("the files of the store are gone")
	// ErrCompacted: the requested revision has been compacted.
	ErrCompacted = errors.New("the revision has been compacted")
	// ErrFuture: the requested revision does not exist yet.
	ErrFuture = errors.New("the revision has not been yet")
	// ErrInvalid: the request can never be served: a key is empty, or changed twice in one
	// transaction.
	ErrInvalid = errors.New("the request to the store is not valid")
	// ErrTooLarge: the request is larger than MaxTxnBytes, or has more than MaxTxnOps operations.
	// Nothing was done.
	ErrTooLarge = errors.New("the request to the store is too large")
	// ErrNoLease: there is no such lease (any more).
	ErrNoLease = errors.New("there is no such lease")
)
