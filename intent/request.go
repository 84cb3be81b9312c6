package intent

import (
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/program"
)

// Op is what a request asks for.
type Op uint8

// The operations.
const (
	Create   Op = iota + 1 // a new intent; the same content under the same id is the same intent
	Replace                // a new content for an id, made if there is none
	Withdraw               // an intent by its id
)

// Request is one request.
type Request struct {
	Op   Op
	Spec spec.Spec // of Create and Replace; checked again here
	ID   string    // of Withdraw
	// IfMatch, of Replace and Withdraw, is the ETag that the intent must have; "*" any, "" does not look.
	IfMatch string
	// Key makes a Create without an id the same each time it is sent: its id is derived from the key.
	Key string
}

// Status is what came of a request.
type Status uint8

// The statuses. After Accepted and Existing what was asked for is durable; after the others nothing has changed.
const (
	Accepted   Status = iota + 1
	Existing          // it was so before
	NotFound          // there is no intent of this id
	Conflict          // the id has another content, or another intent has the same packets; Text names it
	Invalid           // the spec is refused; Text says why
	Mismatched        // IfMatch names another content
	Abandoned         // nothing is wrong with it, but with another request of its atomic batch
)

var statusNames = [...]string{"", "accepted", "existing", "not-found", "conflict", "invalid", "mismatched", "abandoned"}

// String is "accepted", "existing", "not-found", "conflict", "invalid", "mismatched" or "abandoned".
func (s Status) String() string {
	if int(s) >= len(statusNames) {
		return "unknown"
	}
	return statusNames[s]
}

// failed tells whether an atomic batch fails with it.
func (s Status) failed() bool { return s == Conflict || s == Invalid || s == Mismatched }

// Answer is the answer to one request.
type Answer struct {
	ID       string
	Number   uint32 // of the intent; 0 without one
	Status   Status
	State    State
	Text     string
	Err      error  // of Invalid: an *spec.Error names the field
	ETag     string // of the content that the intent has now
	Revision uint64 // of the engine's changes: what shows this answer (Engine.Changes)
}

// Overload is the error of a batch that was not taken because too much waits.
type Overload struct {
	What       string        // what is full
	RetryAfter time.Duration // when to try again
}

// Error says what is full and when to try again.
func (o *Overload) Error() string {
	return fmt.Sprintf("overload: %s; try again in %v", o.What, o.RetryAfter)
}

// ErrClosed is the error of requests after the engine has ended.
var ErrClosed = errors.New("intent: the engine has ended")

// Intent is an intent as it is now, for readers.
type Intent struct {
	Spec     spec.Spec
	Number   uint32
	State    State
	Code     Code
	Text     string    // for people: why
	Retrying bool      // it is tried again without anybody asking
	Since    time.Time // of the state
	ETag     string
	Revision uint64
	// Program is what is wanted of switches, nil if nothing is: its legs and their hops.
	Program *program.Program
}

// Change is one event: an intent as it is now, in the state that it came to then.
type Change struct {
	Revision uint64
	Gone     bool // it is no more; only ID is set in Intent.Spec
	Intent   Intent
}
