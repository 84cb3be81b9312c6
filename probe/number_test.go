package probe

import "testing"

// TestNumbers: a number is read as it was written, and no other bytes are one.
func TestNumbers(t *testing.T) {
	for _, n := range []uint32{0, 1, 0xfffe, 1<<32 - 1} {
		b := make([]byte, NumberLen)
		PutNumber(b, n)
		if got, ok := number(b); !ok || got != n {
			t.Errorf("%d %v, want %d", got, ok, n)
		}
		for i := range b {
			b[i] ^= 1
			if _, ok := number(b); ok {
				t.Errorf("byte %d may be another", i)
			}
			b[i] ^= 1
		}
		if _, ok := number(b[:NumberLen-1]); ok {
			t.Error("a part of a number is one")
		}
	}
}
