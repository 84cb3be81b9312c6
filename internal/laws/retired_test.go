package laws

import (
	"path/filepath"
	"regexp"
	"testing"
)

// retired phrases stood for something that has a plain word, which stands beside them. They are of
// comments, names and texts of the code; docs/glossary.md has the words that a reader needs.
var retired = []struct {
	phrase  *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`^\s*// \w+ (says|tells) whether `), "reports whether"},
	{regexp.MustCompile(`^\s*// \w+ is of [a-z]+\.[A-Z]\w+\.?$`), "implements"},
	{regexp.MustCompile(`\b[Ff]or who steps\b`), "for callers that drive it themselves"},
	{regexp.MustCompile(`\bthe stead of\b`), "supersedes"},
	{regexp.MustCompile(`\b99 in 100\b`), "p99"},
	{regexp.MustCompile(`\bearlier li(fe|ves)\b`), "previous instance"},
	{regexp.MustCompile(`\b([Ee]strange|roundabout|goesRound|politely)`), "reassign, suboptimal, createsLoop, hitless"},
}

// TestRetiredWords keeps the code from words that were replaced by the field's.
func TestRetiredWords(t *testing.T) {
	for _, p := range files() {
		if filepath.Ext(p) != ".go" {
			continue
		}
		lines(read(t, filepath.FromSlash(p)), func(n int, line string) {
			for _, r := range retired {
				if m := r.phrase.FindString(line); m != "" && p != "internal/laws/retired_test.go" {
					t.Errorf("%s:%d: %q is retired, want %s", p, n, m, r.instead)
				}
			}
		})
	}
}

// TestRetiredWordsAreFound: each phrase finds what it is against.
func TestRetiredWordsAreFound(t *testing.T) {
	for i, line := range []string{
		"	// busy says whether it is", "// Close is of net.Conn.", "// Turn, for who steps it", "it takes the stead of one",
		`"9 ms 99 in 100"`, "of an earlier life", "func estrange() {",
	} {
		if !retired[i].phrase.MatchString(line) {
			t.Errorf("%q is not found", line)
		}
	}
}
