package flowtable

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// Error refuses a message. Code is the type and code to answer with, named as OpenFlow 1.3 does;
// openflow.NewError finds the nearest one of OpenFlow 1.0. Reason says what was given and what was
// expected.
type Error struct {
	Code   openflow.ErrorCode
	Reason string
}

// Error is the names of the specification and the reason.
func (e *Error) Error() string { return e.Code.String() + ": " + e.Reason }

// refuse makes an *Error.
func refuse(code openflow.ErrorCode, format string, args ...any) error {
	return &Error{Code: code, Reason: fmt.Sprintf(format, args...)}
}

// asError makes an *Error of what the checks of package openflow refuse.
func asError(err error) error {
	if d, ok := err.(*openflow.DecodeError); ok {
		return &Error{Code: d.Code, Reason: d.Reason}
	}
	return err
}
