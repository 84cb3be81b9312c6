package strict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxBytes is the longest file that is read.
const MaxBytes = 64 << 20

// Problem is one thing that is wrong with a file.
type Problem struct {
	Line int    // from 1; 0 where it belongs to no line
	Text string // what was given, what was expected, and an example
}

// Problems are what is wrong with a file, in order of lines. It is an error.
type Problems []Problem

// Error is all of them, a line each: "LINE: TEXT".
func (p Problems) Error() string { return p.In("") }

// In is all of them, a line each, with the name of the file as compilers write it: "FILE:LINE: TEXT".
func (p Problems) In(file string) string {
	lines := make([]string, len(p))
	for i, one := range p {
		parts := []string{file, "", " " + one.Text}
		if one.Line > 0 {
			parts[1] = fmt.Sprint(one.Line)
		}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		lines[i] = strings.TrimPrefix(strings.Join(parts, ":"), " ")
	}
	return strings.Join(lines, "\n")
}

// FileError is what is wrong with a file that has a name.
type FileError struct {
	File     string
	Problems Problems
}

// Error is a line for each problem: "FILE:LINE: TEXT".
func (e *FileError) Error() string { return e.Problems.In(e.File) }

// MaxProblems are told of one file; a file that is something else altogether has one in every line.
const MaxProblems = 20

// Sorted is the first of them, in order of lines.
func (p Problems) Sorted() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	if len(p) > MaxProblems {
		more := Problem{Line: p[MaxProblems].Line, Text: fmt.Sprintf("and %d more problems from here on", len(p)-MaxProblems)}
		p = append(p[:MaxProblems:MaxProblems], more)
	}
	return p
}
