package profile

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the figures of the built-in profiles into docs/profiles.md")

const page = "../../docs/profiles.md"

// figures is the table of what the built-in profiles promise.
func figures(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| profile | part | figures | source |\n|---|---|---|---|\n")
	for _, name := range Names() {
		p := built(t, name)
		parts := p.Parts()
		if len(parts) == 0 {
			fmt.Fprintf(&b, "| `%s` | – | %s | – |\n", name, p.About)
		}
		for _, part := range parts {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", name, part.Name, readable(part.Text), part.Source)
		}
	}
	return b.String()
}

var point = regexp.MustCompile(`\{(?:payload|rate): (\d+), (?:delay|times): ([^}]+)\}`)

// readable is a part as people read it.
func readable(text string) string {
	unit := " B"
	if strings.Contains(text, "rate: ") {
		unit = " bit/s"
	}
	text = point.ReplaceAllString(text, "$2 at $1"+unit)
	return strings.NewReplacer("points: [", "", "]", "", "{", "", "}", "", "_", " ").Replace(text)
}

// TestDocs holds docs/profiles.md to the built-in profiles, and its example to be one.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	const begin, end = "<!-- figures: go test ./emu/profile -run TestDocs -rewrite -->\n", "<!-- end of figures -->"
	at, to := strings.Index(text, begin), strings.Index(text, end)
	if at < 0 || to < at {
		t.Fatal("no place for figures")
	}
	want := figures(t)
	if got := text[at+len(begin) : to]; got != want {
		if *rewrite {
			if err := os.WriteFile(page, []byte(text[:at+len(begin)]+want+text[to:]), 0o644); err != nil {
				t.Fatal(err)
			}
		} else {
			t.Errorf("%s says\n%s\nwant\n%s", page, got, want)
		}
	}
	_, example, _ := strings.Cut(text, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	p, err := Parse("", []byte(example))
	if err != nil || p.Name != "my-switch" || len(p.Parts()) != 9 {
		t.Errorf("the example: %v, %v", err, p.Parts())
	}
}
