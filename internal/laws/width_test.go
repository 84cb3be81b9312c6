package laws

import (
	"go/scanner"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// A line of code has at most maxColumns columns, with four for a tab, so that two editors fit side
// by side. One that a string makes longer may be: text that people read is not cut into pieces.
const (
	maxColumns = 130
	maxProse   = 120
	longString = 50
	tabColumns = 4
)

// TestWidth holds lines of Go to maxColumns.
func TestWidth(t *testing.T) {
	for _, p := range files() {
		if filepath.Ext(p) != ".go" || strings.HasSuffix(p, ".pb.go") {
			continue
		}
		text := read(t, filepath.FromSlash(p))
		var allowed map[int]bool // made at the first long line
		lines(text, func(n int, line string) {
			columns := utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
			if columns <= maxColumns {
				return
			}
			if allowed == nil {
				allowed = stringLines(text)
			}
			if !allowed[n] {
				t.Errorf("%s:%d: %d columns, want at most %d: break the line", p, n, columns, maxColumns)
			}
		})
	}
}

// TestProseIsWrapped holds lines of pages to maxProse, but for code and tables.
func TestProseIsWrapped(t *testing.T) {
	for _, p := range pages(t) {
		prose(read(t, filepath.FromSlash(p)), func(n int, line string) {
			if c := utf8.RuneCountInString(line); c > maxProse && !strings.HasPrefix(line, "|") &&
				strings.Contains(line[:maxProse], " ") {
				t.Errorf("%s:%d: %d columns, want at most %d: break the line", p, n, c, maxProse)
			}
		})
	}
}

// stringLines returns the numbers of lines with a string of longString characters or more, or a
// part of a raw one.
func stringLines(text string) map[int]bool {
	found := map[int]bool{}
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return found
		}
		if kind == token.STRING && len(literal) >= longString {
			from := file.Line(at)
			for n := range 1 + strings.Count(literal, "\n") {
				found[from+n] = true
			}
		}
	}
}

// TestStringLinesAreFound: a long string allows a long line, and a short one does not.
func TestStringLinesAreFound(t *testing.T) {
	long := strings.Repeat("x", longString)
	found := stringLines("package p\nvar a = \"short\"\nvar b = \"" + long + "\"\nvar c = `" + long + "\n" + long + "`\n")
	for n, want := range map[int]bool{2: false, 3: true, 4: true, 5: true, 6: false} {
		if found[n] != want {
			t.Errorf("line %d: %v, want %v", n, found[n], want)
		}
	}
}
