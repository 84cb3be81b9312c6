package streams

import "errors"

// Errors of sending. With ErrNotConnected and ErrFull nothing was sent.
var (
	// ErrNotConnected: there is no connection to the instance now, or it is no member.
	ErrNotConnected = errors.New("not connected to the instance")
	// ErrFull: too much waits for the instance already.
	ErrFull = errors.New("too much waits for the instance")
	// ErrUnknown: a request was sent, and it is not known what has come of it.
	ErrUnknown = errors.New("no answer of the instance: outcome unknown")
	// ErrTooLong: a payload is longer than MaxPayload.
	ErrTooLong = errors.New("payload too long")
)

// Errors with which bulk streams end, at both ends: the receiver needs a new one from the beginning.
var (
	// ErrOverrun: the receiver was too slow, and more waited than the queue holds.
	ErrOverrun = errors.New("the receiver was too slow for the stream")
	// ErrLost: the connection was lost.
	ErrLost = errors.New("connection lost")
	// ErrReplaced: the sender has begun another stream of the kind.
	ErrReplaced = errors.New("another stream of the kind was begun")
	// ErrStopped: the other end has ended the stream, for the reason in the text.
	ErrStopped = errors.New("the other end has ended the stream")
)

// Refused is the error that an instance has answered a request with.
type Refused struct{ Text string }

// Error is the text.
func (e *Refused) Error() string { return e.Text }

// silent is why a connection is closed whose peer is suspected.
var errSilent = errors.New("no heartbeats")

// errRemoved is why one is closed whose peer is no member any more.
var errRemoved = errors.New("no member any more")

// errClosed is why all are closed at the end.
var errClosed = errors.New("this instance ends")

// errRenewed is why one is closed when the peer has made another, or was started again.
var errRenewed = errors.New("the instance has made a new connection")
