package openflow

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/golden"
)

// TestPrintGolden prints bytes that no sample has: a block "print" with hexadecimal digits, in as
// many lines as it likes, gives the text or the error, and the bytes as they are written again
// where those differ.
func TestPrintGolden(t *testing.T) {
	golden.Each(t, "testdata/print", func(t *testing.T, path string) {
		golden.Run(t, path, func(t *testing.T, c *golden.Command) string {
			b := fromHex(t, strings.Join(strings.Fields(c.Input), ""))
			h, m, err := Parse(b)
			if err != nil {
				return "error: " + err.Error()
			}
			out, err := Append(nil, h.Version, h.XID, m)
			if err != nil {
				t.Fatal(err)
			}
			text := Text(h, m)
			if !bytes.Equal(out, b) {
				text += "\nreencoded: " + hex.EncodeToString(out)
			}
			return text
		})
	})
}
