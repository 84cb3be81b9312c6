package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the outputs of golden conversations into their files")

// Command is one block of a conversation.
type Command struct {
	Name  string   // the first word
	Args  []string // the other words of the first line
	Rest  string   // the first line after Name, as written
	Input string   // the lines between the first one and the dashes, joined by newlines
	File  string   // path of the file
	Line  int      // line number of the command, from 1
}

// Arg is the value of the argument "key=value", or otherwise if there is none.
func (c *Command) Arg(key, otherwise string) string {
	for _, a := range c.Args {
		if k, v, ok := strings.Cut(a, "="); ok && k == key {
			return v
		}
	}
	return otherwise
}

// Each runs f as a subtest for every file of dir that ends in ".txt", in the order of their names.
// It fails if there is none.
func Each(t *testing.T, dir string, f func(t *testing.T, path string)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no conversations in %s: %v", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { f(t, path) })
	}
}

// Run does the conversation of a file: do is called for each command in order and returns its
// output; a final newline does not count. The test fails at each output that differs, or the file
// is rewritten if the flag is set.
func Run(t *testing.T, path string, do func(t *testing.T, c *Command) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := parse(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if b.command == nil {
			continue
		}
		got := strings.TrimRight(do(t, b.command), "\n")
		if *rewrite {
			b.output = got
		} else if got != b.output {
			t.Errorf("%s:%d: %s %s\ngot:\n%s\nwant:\n%s", path, b.command.Line, b.command.Name, b.command.Rest, got, b.output)
		}
	}
	if *rewrite {
		if err := os.WriteFile(path, []byte(format(blocks)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Compare compares a whole file with what was got, or rewrites it if the flag is set.
func Compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *rewrite {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range g {
		if i >= len(w) || !bytes.Equal(g[i], w[i]) {
			t.Fatalf("%s:%d: got %s (go test -rewrite writes it anew)", path, i+1, g[i])
		}
	}
	t.Fatalf("%s: %d lines more than got", path, len(w)-len(g))
}
