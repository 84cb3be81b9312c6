package openflow

import (
	"errors"
	"fmt"
)

// ErrVersion is wrapped by the errors of Append when the message, or something in it, cannot be
// said in the version asked for, and by those of the text parsers when no version can say it.
var ErrVersion = errors.New("not expressible in this OpenFlow version")

// ErrTooLong is wrapped by the errors of Append when the message would not fit into the 16-bit
// length of its header, or an element of it into its own.
var ErrTooLong = errors.New("longer than 65535 bytes")

// DecodeError refuses bytes. Code is the OpenFlow error type and code to answer with, Reason says
// what was given and what was expected.
type DecodeError struct {
	Code   ErrorCode
	Reason string
}

// Error is the names of the specification and the reason: "OFPET_BAD_REQUEST OFPBRC_BAD_LEN:
// reason".
func (e *DecodeError) Error() string { return e.Code.String() + ": " + e.Reason }

// refuse makes a *DecodeError.
func refuse(code ErrorCode, format string, args ...any) error {
	return &DecodeError{Code: code, Reason: fmt.Sprintf(format, args...)}
}

// inexpressible makes an error that wraps ErrVersion: what cannot be said in version v.
func inexpressible(v Version, format string, args ...any) error {
	return fmt.Errorf("openflow: %s: OpenFlow %s: %w", fmt.Sprintf(format, args...), v, ErrVersion)
}
