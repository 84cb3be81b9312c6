package openflow

import (
	"bytes"
	"testing"
)

// TestTextTellsApart changes every byte of every sample: messages whose bytes differ in more than
// pads have different texts, and every text is one line of ASCII.
func TestTextTellsApart(t *testing.T) {
	for _, s := range samples() {
		whole := s.bytes(t)
		texts := map[string][]byte{}
		tell := func(b []byte) {
			h, m, err := Parse(b)
			if err != nil {
				return
			}
			out, err := Append(nil, h.Version, h.XID, m)
			if err != nil {
				t.Fatalf("%s: %v\n%x", s.name, err, b)
			}
			text := Text(h, m)
			if other, ok := texts[text]; ok && !bytes.Equal(other, out) {
				t.Errorf("%s: one text of two messages\n%x\n%x\n%s", s.name, other, out, text)
			}
			texts[text] = out
			for _, c := range text {
				if c < ' ' || c > '~' {
					t.Errorf("%s: %q in %s", s.name, c, text)
				}
			}
		}
		tell(whole)
		for i := range whole {
			for _, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255} {
				b := bytes.Clone(whole)
				b[i] ^= flip
				tell(b)
			}
		}
	}
}
