package command

import (
	"encoding/json"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestCellsBeginNoRow: what strangers named stays in its cell.
func TestCellsBeginNoRow(t *testing.T) {
	var out strings.Builder
	tb := Table{W: &out}
	row := []string{"GET /\n2026-11-20 root admin", "\x1b[2J\u009bhall 2 ü"}
	tb.Fit(row)
	if err := tb.Write(row); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "GET /\ufffd2026-11-20 root admin  \ufffd[2J\ufffdhall 2 ü\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestHiddenCharacters: JSON and YAML hold what was named as it was named, and show nothing of it
// that a terminal would act on.
func TestHiddenCharacters(t *testing.T) {
	for _, name := range []string{"a\u202eb", "\u2066\u2069", "line\u2028line\u2029", "\u0085\u009b2J",
		"\U000e0041\ufeff", "\x7f\x1b[2J\a", "two\nlines\tü\u0301 日本", "x\u200b: {a: [b]}", "\u200e'\"\\"} {
		for _, f := range []Format{FormatJSON, FormatYAML} {
			var out strings.Builder
			if err := WriteValue(&out, f, map[string]string{"name": name, "n" + name: "plain"}); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsFunc(out.String(), hidden) {
				t.Errorf("%s of %q: %q", f, name, out.String())
			}
			got := map[string]string{}
			read := json.Unmarshal
			if f == FormatYAML {
				read = func(b []byte, v any) error { return yaml.Unmarshal(b, v) }
			}
			if err := read([]byte(out.String()), &got); err != nil || got["name"] != name || got["n"+name] != "plain" {
				t.Errorf("%s of %q: %v, reads as %q\n%s", f, name, err, got, out.String())
			}
		}
	}
}
