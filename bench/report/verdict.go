package report

import "errors"

// Why a run has no result.
var (
	// errNothing: nothing was answered.
	ErrNothing = errors.New("nothing was answered")
	// errMissing: some of what was asked for was not answered, or not done.
	ErrMissing = errors.New("answers are missing")
	// errSlow: what is measured did not keep up with the load, or took longer than is waited for.
	ErrSlow = errors.New("the controller answers too slowly")
	// errLate: the generator sent later than it meant to; the run may be done again.
	ErrLate = errors.New("the generator was late")
	// errMisforwarded: what switches were given leads elsewhere.
	ErrMisforwarded = errors.New("packets went astray")
	// ErrStale: switches took what they must not take, of an instance that was not their master.
	ErrStale = errors.New("switches accepted writes of an instance that was not their master")
)
