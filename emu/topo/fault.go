package topo

import "fmt"

// fault is what Check finds wrong, with the part of the network that it is about, so that a file's
// line can be told.
type fault struct {
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

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

func blame(p part, index int, format string, args ...any) error {
	return &fault{p, index, fmt.Errorf(format, args...)}
}
