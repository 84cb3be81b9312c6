package laws

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	pageLink  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`^#{1,6} +(.*)`)
	linkText  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	pageNamed = regexp.MustCompile(`\bdocs/[A-Za-z0-9_./-]+\.md\b`)
	commitID  = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)
)

// pages are the repository's Markdown pages.
func pages(t *testing.T) (names []string) {
	t.Helper()
	for _, name := range files() {
		if filepath.Ext(name) == ".md" && (!strings.Contains(name, "/") || strings.HasPrefix(name, "docs/")) {
			names = append(names, name)
		}
	}
	if len(names) < 30 {
		t.Fatalf("%d pages found: the scan is broken", len(names))
	}
	return names
}

// prose calls f with the lines of a page that are not code.
func prose(text string, f func(n int, line string)) {
	code := false
	lines(text, func(n int, line string) {
		if strings.HasPrefix(line, "```") {
			code = !code
		} else if !code {
			f(n, line)
		}
	})
}

// anchors are the names by which sections of a page are linked to.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	prose(text, func(_ int, line string) {
		if m := heading.FindStringSubmatch(line); m != nil {
			all[strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
					return unicode.ToLower(r)
				}
				return -1
			}, linkText.ReplaceAllString(strings.TrimSpace(m[1]), "$1"))] = true
		}
	})
	return all
}

// TestLinksLeadSomewhere: pages and sections that pages link to are there, and so are pages that
// code and pages name.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, page := range pages(t) {
		prose(read(t, page), func(n int, line string) {
			for _, m := range pageLink.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], ":") {
					continue
				}
				links++
				file, section, _ := strings.Cut(m[1], "#")
				target := page
				if file != "" {
					target = filepath.Join(filepath.Dir(page), file)
				}
				if _, err := os.Stat(filepath.Join(root, target)); err != nil {
					t.Errorf("%s:%d: there is no %s", page, n, target)
				} else if section != "" && !anchors(read(t, target))[section] {
					t.Errorf("%s:%d: %s has no section %s", page, n, target, section)
				}
			}
		})
	}
	if links < 100 {
		t.Fatalf("%d links found: the scan is broken", links)
	}
	named := func(file, text string) {
		lines(text, func(n int, line string) {
			for _, name := range pageNamed.FindAllString(line, -1) {
				if _, err := os.Stat(filepath.Join(root, name)); err != nil && !strings.Contains(name, "NNNN") {
					t.Errorf("%s:%d: there is no page %s", file, n, name)
				}
			}
		})
	}
	for _, page := range pages(t) {
		named(page, read(t, page))
	}
	for _, s := range sources() {
		named(s.path, read(t, s.path))
	}
}

// TestFiguresNameTheirCommit: each page of figures says of which commit they are, so that a page
// which is older than the code is seen to be.
func TestFiguresNameTheirCommit(t *testing.T) {
	for _, page := range pages(t) {
		if strings.HasPrefix(page, "docs/benchmarks/") && filepath.Base(page) != "README.md" &&
			!commitID.MatchString(read(t, page)) {
			t.Errorf("%s names no commit", page)
		}
	}
}
