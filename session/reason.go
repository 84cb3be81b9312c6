package session

import (
	"crypto/tls"
	"errors"
	"net"
)

// Refusal is a connection that ended before it was connected.
type Refusal struct {
	Remote net.Addr
	// Datapath is the id that the peer claimed, if Identified is set.
	Datapath   uint64
	Identified bool
	// Err is why; Reason puts it in a word.
	Err error
}

// reasons are the errors that have a word of their own, in the order in which they are looked for.
var reasons = []struct {
	err  error
	word string
}{
	{ErrTooMany, "too_many"},
	{ErrShed, "shed"},
	{ErrSource, "source"},
	{ErrHeld, "held"},
	{ErrPorts, "ports"},
	{ErrNewPorts, "new_ports"},
	{ErrInUse, "datapath_in_use"},
	{ErrNotAdmitted, "not_admitted"},
	{ErrAuxiliary, "auxiliary"},
	{ErrHandshake, "handshake_timeout"},
	{ErrVersions, "version"},
	{ErrFraming, "framing"},
	{ErrReplaced, "replaced"},
	{errShutdown, "shutdown"},
}

// Reasons are all words that Reason knows.
func Reasons() []string {
	words := []string{"certificate", "tls", "peer_error", "connection_lost"}
	for _, r := range reasons {
		words = append(words, r.word)
	}
	return words
}

// Reason is a word for the error of a Refusal, for metrics.
func Reason(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.word
		}
	}
	switch {
	case errors.Is(err, ErrTLS):
		if errors.As(err, new(*tls.CertificateVerificationError)) {
			return "certificate"
		}
		return "tls"
	case errors.As(err, new(*PeerError)):
		return "peer_error"
	}
	return "connection_lost"
}
