package topo

import "fmt"

// elementError is what Check finds wrong, with the part of the network that it is about, so that a file's
// line can be told.
type elementError struct {
	part  part
	index int
	err   error
}

type part int

const (
	ofAll part = iota
	ofSwitch
	ofLink
	ofHost
)

func (f *elementError) Error() string { return f.err.Error() }
func (f *elementError) Unwrap() error { return f.err }

func faultOf(p part, index int, format string, args ...any) error {
	return &elementError{p, index, fmt.Errorf(format, args...)}
}
