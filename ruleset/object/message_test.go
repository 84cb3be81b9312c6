package object

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/golden"
)

// TestMessages: the bytes of testdata/messages.txt are those that the oracles of TestOracles read as
// testdata/oracles says.
func TestMessages(t *testing.T) {
	list, seen := messages(t), map[string]bool{}
	golden.Run(t, "testdata/messages.txt", func(t *testing.T, c *golden.Command) string {
		i := slices.IndexFunc(list, func(m message) bool { return m.name == c.Name })
		if i < 0 {
			t.Fatalf("%s:%d: no message %s", c.File, c.Line, c.Name)
		}
		seen[c.Name] = true
		return string(list[i].m.AppendText(nil, list[i].v)) + "\n" + hex.EncodeToString(list[i].bytes(t)) + "\n"
	})
	for _, m := range list {
		if !seen[m.name] {
			t.Errorf("testdata/messages.txt has no block %s", m.name)
		}
	}
}
