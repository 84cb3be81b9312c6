package intent

import (
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/ruleset"
)

// Op is the kind of a request.
type Op uint8

// The operations.
const (
	Create   Op = iota + 1 // a new intent; idempotent for the same id and content
	Replace                // new content for an id, created if it does not exist
	Withdraw               // an intent by its id
)

// Request is one request.
type Request struct {
	Op   Op
	Spec spec.Spec // of Create and Replace
	// Checked: Check has put Spec in order, and nothing was changed in it since but an empty ID. It is
	// not checked again.
	Checked bool
	ID      string // of Withdraw
	// IfMatch, of Replace and Withdraw, is the ETag that the intent must have; "*": any; "": not
	// checked.
	IfMatch string
	// Key is an idempotency key for a Create without an id: the id is derived from it.
	Key string
}

// Status is the result of a request.
type Status uint8

// The statuses. After Accepted and Existing the requested state is durable; after the others
// nothing has changed.
const (
	Accepted   Status = iota + 1
	Existing          // already so
	NotFound          // no intent has this id
	Conflict          // the id has different content, or another intent matches the same packets (Text)
	Invalid           // the spec is invalid (Text)
	Mismatched        // IfMatch does not match the current content
	Abandoned         // valid, but another request of its atomic batch failed
)

var statusNames = [...]string{"", "accepted", "existing", "not-found", "conflict", "invalid", "mismatched", "abandoned"}

// String is "accepted", "existing", "not-found", "conflict", "invalid", "mismatched" or
// "abandoned".
func (s Status) String() string {
	return nameOf(statusNames[:], s)
}

// failed reports whether it makes an atomic batch fail.
func (s Status) failed() bool { return s == Conflict || s == Invalid || s == Mismatched }

// Answer is the answer to one request.
type Answer struct {
	ID       string
	Number   uint32 // of the intent; 0 without one
	Status   Status
	State    State
	Text     string
	Err      error  // of Invalid: an *spec.Error names the field
	ETag     string // of the current content
	Revision uint64 // in Engine.Changes, from which this answer is visible
}

// Overload is the error of a batch that was rejected because a limit is reached.
type Overload struct {
	What       string        // which limit
	RetryAfter time.Duration // delay before a retry
}

// Error names the limit and the retry delay.
func (o *Overload) Error() string {
	return fmt.Sprintf("overload: %s; try again in %v", o.What, o.RetryAfter)
}

// ErrClosed is the error of requests after the engine was shut down.
var ErrClosed = errors.New("intent: the engine has ended")

// Intent is a copy of an intent's state for readers.
type Intent struct {
	Spec     spec.Spec
	Number   uint32
	State    State
	Code     Code
	Text     string    // the reason, for people
	Retrying bool      // the engine retries by itself
	Since    time.Time // when the state was entered
	ETag     string
	Revision uint64
	// Rules are the desired rules: legs and their hops; nil without any.
	Rules *ruleset.Set
}

// Change is one event: an intent as it is now, in the state that it entered then.
type Change struct {
	Revision uint64
	Gone     bool // deleted; only ID is set in Intent.Spec
	Stale    bool // before it was deleted, which a later Change says; only ID is set in Intent.Spec
	Intent   Intent
}
