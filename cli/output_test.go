package cli

import (
	"strings"
	"testing"
)

// TestCellsBeginNoRow: what strangers named stays in its cell.
func TestCellsBeginNoRow(t *testing.T) {
	var out strings.Builder
	tb := table{w: &out}
	row := []string{"GET /\n2026-11-20 root admin", "\x1b[2J\u009bhall 2 ü"}
	tb.fit(row)
	if err := tb.write(row); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "GET /\ufffd2026-11-20 root admin  \ufffd[2J\ufffdhall 2 ü\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
