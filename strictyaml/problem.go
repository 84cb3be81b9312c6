package strictyaml

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	Line int    // from 1; 0 where it belongs to no line
	Path string // the field, "discovery.lldp_period"; empty for the whole, or where Text names it
	Text string // what was given, what was expected, and an example
}

// String is "LINE: PATH: TEXT", without what is not known.
func (p Problem) String() string {
	s := p.Text
	if p.Path != "" {
		s = p.Path + ": " + s
	}
	if p.Line > 0 {
		s = fmt.Sprintf("%d: %s", p.Line, s)
	}
	return s
}

// Problems are what is wrong with a file, in order of lines. It is an error.
type Problems []Problem

// Error is all of them, a line each.
func (p Problems) Error() string { return p.In("") }

// In is all of them, a line each, with the name of the file as compilers write it: "FILE:LINE: …".
func (p Problems) In(file string) string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
		switch {
		case file != "" && one.Line > 0:
			lines[i] = file + ":" + lines[i]
		case file != "":
			lines[i] = file + ": " + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// FileError is what is wrong with a file that has a name.
type FileError struct {
	File     string
	Problems Problems
}

// Error is a line for each problem: "FILE:LINE: …".
func (e *FileError) Error() string { return e.Problems.In(e.File) }

// InFile gives Problems the name of their file; any other error stays as it is.
func InFile(file string, err error) error {
	var p Problems
	if errors.As(err, &p) {
		return &FileError{file, p}
	}
	return err
}

// MaxProblems is how many problems of one file are reported: a file that is something else
// altogether has one in every line.
const MaxProblems = 100

// Collector holds the first MaxProblems that are found, and counts the others.
type Collector struct {
	first Problems
	found int
}

// Add adds a problem.
func (c *Collector) Add(p Problem) {
	if c.found++; len(c.first) < MaxProblems {
		c.first = append(c.first, p)
	}
}

// Found is how many problems there are so far.
func (c *Collector) Found() int { return c.found }

// Err is nil, or Problems in order of lines, and how many more there are.
func (c *Collector) Err() error {
	if c.found == 0 {
		return nil
	}
	slices.SortStableFunc(c.first, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	if more := c.found - len(c.first); more > 0 {
		return append(c.first, Problem{Text: fmt.Sprintf("and %d more problems", more)})
	}
	return c.first
}
