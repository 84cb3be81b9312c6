package topo

import (
	"fmt"

	"github.com/weirnet/weir/emu/strict"
)

// MaxBytes is the longest file that is read.
const MaxBytes = strict.MaxBytes

// What is wrong with a file.
type (
	// Problem is one thing.
	Problem = strict.Problem
	// Problems are all, in order of lines. It is an error.
	Problems = strict.Problems
	// FileError is what Load and LoadSchedule return.
	FileError = strict.FileError
)

// fault is what Check finds wrong, with the part of the network that it is about, so that a file's line can be told.
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
