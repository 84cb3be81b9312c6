package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	Line int    // from 1; 0 where it belongs to no line
	Path string // the field, "discovery.lldp_period"; empty for the whole
	Text string // what was given and what was expected
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

// Problems are all that is wrong with a configuration, in order of lines. It is an error.
type Problems []Problem

// Error is all of them, a line each.
func (p Problems) Error() string { return p.In("") }

// In is all of them, a line each, each with the name of the file as compilers write it: "FILE:LINE: …".
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

func (p Problems) sorted() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return p
}
