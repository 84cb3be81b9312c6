package spec

import "fmt"

// Error is what is wrong with an intent: the field by its name in JSON, the given and the expected
// value.
type Error struct {
	Field string // "dst", "src[3].port", "selector.tcp_dst"
	Given string
	Want  string
}

// Error is "FIELD: GIVEN given, want WANT".
func (e *Error) Error() string { return e.Field + ": " + e.Given + " given, want " + e.Want }

func wrong(field, given, want string, args ...any) *Error {
	return &Error{Field: field, Given: given, Want: fmt.Sprintf(want, args...)}
}

// nth is the name of one of several ends or hops; "src" alone where there is but one.
func nth(field string, i, n int) string {
	if n == 1 && i == 0 {
		return field
	}
	return fmt.Sprintf("%s[%d]", field, i)
}
