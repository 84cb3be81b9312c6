package journal

import (
	"errors"
	"testing"
)

// TestCount: what is live after all blocks, and a block that is damaged.
func TestCount(t *testing.T) {
	block := func(recs ...Record) []byte {
		b := []byte{blockFormat}
		for i := range recs {
			b = recs[i].append(b)
		}
		return seal(b)
	}
	var c Count
	if c.Len() != 0 {
		t.Errorf("%d live in nothing", c.Len())
	}
	for _, b := range [][]byte{
		block(Record{Number: 1, Data: []byte("a")}, Record{Number: 2, Data: []byte("b")}),
		block(Record{Number: 2, Delete: true}, Record{Number: 3, Data: []byte("c")}, Record{Number: 1, Data: []byte("d")}),
	} {
		if err := c.Block(b); err != nil {
			t.Fatal(err)
		}
	}
	if c.Len() != 2 {
		t.Errorf("%d live, want 2", c.Len())
	}
	damaged := block(Record{Number: 4, Data: []byte("e")})
	damaged[3] ^= 1
	if err := c.Block(damaged); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged block: %v", err)
	}
}
