package session

import (
	"errors"

	"github.com/weirnet/weir/openflow"
)

// Errors of a session. Those that end it are wrapped in the errors of Disconnected and of open
// requests.
var (
	// ErrClosed is wrapped by every error of a session that has ended.
	ErrClosed = errors.New("session closed")
	// ErrNotConnected refuses to send before the session is connected.
	ErrNotConnected = errors.New("session not connected yet")
	// ErrFull refuses what does not fit into the peer's queue, or one request too many.
	ErrFull = errors.New("session's queue is full")
	// ErrTimeout answers a request that the peer did not answer in time.
	ErrTimeout = errors.New("no answer in time")
	// ErrNoReply refuses to wait for the answer of a message that has none: send it, and a barrier
	// after it.
	ErrNoReply = errors.New("message has no reply")
	// ErrTooLarge answers a multipart request whose parts were too many or too long.
	ErrTooLarge = errors.New("multipart answer above the limit")
	// ErrHandshake ends a connection that was not connected in time.
	ErrHandshake = errors.New("handshake not completed in time")
	// ErrVersions ends a connection to a peer that has no version in common.
	ErrVersions = errors.New("no OpenFlow version in common")
	// ErrFraming ends a connection whose bytes are no longer messages.
	ErrFraming = errors.New("message framing lost")
	// ErrDead ends a connection to a peer that does not answer echo requests.
	ErrDead = errors.New("peer does not answer echo requests")
	// ErrStuck ends a connection to a peer that reads nothing of what is queued for it, though it
	// may send.
	ErrStuck = errors.New("peer takes nothing of what is sent to it")
	// ErrReplaced ends a connection that failed a duplicate check.
	ErrReplaced = errors.New("replaced by a newer connection of the same datapath id")
	// ErrInUse ends a connection for whose datapath id another connection is alive.
	ErrInUse = errors.New("datapath id in use by another connection that answers")
	// ErrNotAdmitted ends a connection that Config.Admit refuses; its error is wrapped beside it.
	ErrNotAdmitted = errors.New("not admitted")
	// ErrTLS ends a connection whose TLS handshake failed; the error of crypto/tls is wrapped
	// beside it.
	ErrTLS = errors.New("no TLS")
	// ErrAuxiliary ends an auxiliary connection: only main ones are taken.
	ErrAuxiliary = errors.New("auxiliary connections are not supported")
	// ErrShed ends the oldest connection in its handshake when there are too many of them.
	ErrShed = errors.New("too many connections in their handshake, this one the oldest")
	// ErrHeld ends the connection with most bytes of incomplete input, when there are too many of
	// all connections.
	ErrHeld = errors.New("too many bytes of incomplete messages are held, most of them of this connection")
	// ErrPorts refuses a switch with more ports than Config.MaxPorts.
	ErrPorts = errors.New("too many ports")
	// ErrNewPorts refuses a new switch for whose ports there is no room beside those of other new
	// ones.
	ErrNewPorts = errors.New("too many ports of new switches")
	// ErrSource ends a connection above Config.MaxSource, where none of its source is in its
	// handshake that could be shed.
	ErrSource = errors.New("too many sessions of one source")
	// ErrRole is a switch that answers the request for a role with another one.
	ErrRole = errors.New("the switch gives another role")
	// ErrTooMany ends a connection above Config.MaxSessions, where none is in its handshake that
	// could be shed.
	ErrTooMany = errors.New("too many sessions")
)

// PeerError is an OpenFlow error that the peer sent, as a Go error: the answer to a request.
type PeerError struct {
	Header openflow.Header
	Msg    *openflow.ErrorMsg
}

// Error is the canonical text of the message.
func (e *PeerError) Error() string {
	return "peer answers: " + openflow.Text(e.Header, e.Msg)
}

// IsStale reports whether a request for a role was refused for its generation (OFPRRFC_STALE).
func IsStale(err error) bool {
	var peer *PeerError
	return errors.As(err, &peer) && peer.Msg.Code == openflow.RoleRequestFailedStale
}

// closedError is the end of a session with its reason.
type closedError struct{ reason error }

func (e *closedError) Error() string   { return ErrClosed.Error() + ": " + e.reason.Error() }
func (e *closedError) Unwrap() []error { return []error{ErrClosed, e.reason} }

// closed wraps the reason for which a session ended, once.
func closed(reason error) error {
	switch {
	case reason == nil:
		return ErrClosed
	case errors.Is(reason, ErrClosed):
		return reason
	}
	return &closedError{reason}
}
