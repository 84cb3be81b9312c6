package openflow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

func isVersionError(err error) bool { return errors.Is(err, ErrVersion) }

// checkFixedPoint parses b. Refused, it must be by a *DecodeError that names a code. Accepted, it
// must be written again as long as it was, with only pads changed and those to zero, and what was
// written must give the same bytes and text again. With exact, it must be accepted and come out as
// it went in.
func checkFixedPoint(t *testing.T, name string, b []byte, exact bool) {
	t.Helper()
	h, m, err := Parse(b)
	if err != nil {
		var refused *DecodeError
		if exact || !errors.As(err, &refused) || refused.Code.String() == "" || refused.Reason == "" {
			t.Fatalf("%s: %v\n%x", name, err, b)
		}
		if a := NewError(refused, b); !answers(a, b) {
			t.Fatalf("%s: %v cannot be answered\n%x", name, err, b)
		}
		return
	}
	text := Text(h, m)
	out, err := Append(nil, h.Version, h.XID, m)
	if err != nil {
		t.Fatalf("%s: %v\n%x\n%s", name, err, b, text)
	}
	if len(out) != len(b) || exact && !bytes.Equal(out, b) {
		t.Fatalf("%s:\ngot  %x\nwant %x\n%s", name, out, b, text)
	}
	for i := range out {
		if out[i] != b[i] && out[i] != 0 {
			t.Fatalf("%s: byte %d\ngot  %x\nwant %x\n%s", name, i, out, b, text)
		}
	}
	h2, m2, err := Parse(out)
	if err != nil {
		t.Fatalf("%s: again: %v\n%x\n%x\n%s", name, err, b, out, text)
	}
	if again := Text(h2, m2); again != text {
		t.Fatalf("%s: text\ngot  %s\nwant %s", name, again, text)
	}
	if third, err := Append(nil, h2.Version, h2.XID, m2); err != nil || !bytes.Equal(third, out) {
		t.Fatalf("%s: third %v\ngot  %x\nwant %x", name, err, third, out)
	}
}

// answers reports whether an error message can be written in the version of the bytes it answers,
// if that is one of ours.
func answers(m *ErrorMsg, refused []byte) bool {
	if len(refused) == 0 || Version(refused[0]) != V10 && Version(refused[0]) != V13 {
		return true
	}
	_, err := Append(nil, Version(refused[0]), 0, m)
	return err == nil
}

// TestTruncations parses every sample cut off at every byte, with and without a header that knows.
func TestTruncations(t *testing.T) {
	for _, s := range samples() {
		whole := s.bytes(t)
		for n := range len(whole) {
			cut := bytes.Clone(whole[:n])
			if _, _, err := Parse(cut); err == nil {
				t.Fatalf("%s: parsed with %d of %d bytes", s.name, n, len(whole))
			}
			if n >= HeaderLen {
				binary.BigEndian.PutUint16(cut[2:], uint16(n))
				checkFixedPoint(t, s.name, cut, false)
			}
		}
	}
}

// TestLengths writes the bad lengths into every 16 bits of every sample, and with that into every
// length there is.
func TestLengths(t *testing.T) {
	for _, s := range samples() {
		whole := s.bytes(t)
		for at := 2; at+2 <= len(whole); at++ {
			was := be16(whole[at:])
			for _, n := range []uint16{0, 1, 7, 8, was - 1, was + 1, was - 8, was + 8, 65535} {
				bad := bytes.Clone(whole)
				binary.BigEndian.PutUint16(bad[at:], n)
				checkFixedPoint(t, s.name, bad, false)
			}
		}
	}
}

// TestTrailing parses every sample with more bytes after it, which the header counts.
func TestTrailing(t *testing.T) {
	for _, s := range samples() {
		for _, n := range []int{1, 4, 8, 16, 64} {
			more := append(s.bytes(t), make([]byte, n)...)
			if _, _, err := Parse(more); err == nil {
				t.Fatalf("%s: parsed with %d bytes after its end", s.name, n)
			}
			binary.BigEndian.PutUint16(more[2:], uint16(len(more)))
			checkFixedPoint(t, s.name, more, false)
		}
	}
}
