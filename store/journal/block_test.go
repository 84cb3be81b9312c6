package journal

import (
	"bytes"
	"errors"
	"testing"
)

func sealed(recs ...Record) []byte {
	b := []byte{blockFormat}
	for i := range recs {
		b = recs[i].append(b)
	}
	return seal(b)
}

var blocks = [][]Record{
	{},
	{{Number: 0, Data: []byte{}}},
	{{Number: 1<<32 - 1, Data: bytes.Repeat([]byte{7}, 300)}, {Number: 5, Delete: true},
		{Number: 1<<32 - 1, Delete: true}, {Number: 6, Data: []byte("x")}},
}

// TestBlocks: what is written is read, at the places that are said; with any bit flipped, cut
// anywhere or lengthened it is refused.
func TestBlocks(t *testing.T) {
	for _, want := range blocks {
		b := sealed(want...)
		n := 0
		if err := walk(b, func(r Record, at, size int) {
			if w := want[n]; r.Number != w.Number || r.Delete != w.Delete || !bytes.Equal(r.Data, w.Data) {
				t.Errorf("%+v, want %+v", r, w)
			}
			if again := r.append(nil); !bytes.Equal(again, b[at:at+size]) || r.size() < size {
				t.Errorf("%d bytes at %d: %x, want %x", size, at, b[at:at+size], again)
			}
			n++
		}); err != nil || n != len(want) {
			t.Fatalf("%d of %d records, %v", n, len(want), err)
		}
		refused := func(b []byte) {
			t.Helper()
			if err := walk(b, func(Record, int, int) { t.Error("a record of a damaged block") }); !errors.Is(err, ErrDamaged) {
				t.Errorf("%x: %v", b, err)
			}
		}
		for i := range b {
			for bit := range 8 {
				flipped := bytes.Clone(b)
				flipped[i] ^= 1 << bit
				refused(flipped)
			}
			refused(b[:i])
		}
		refused(append(bytes.Clone(b), 0))
	}
}

// FuzzBlock: what is taken for a block is written as itself.
func FuzzBlock(f *testing.F) {
	for _, recs := range blocks {
		b := sealed(recs...)
		f.Add(b[blockHead : len(b)-blockTail])
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		b := seal(append([]byte{blockFormat}, body...))
		var recs []Record
		end := blockHead
		if walk(b, func(r Record, at, size int) {
			if at != end {
				t.Fatalf("a record at %d, and the one before ends at %d", at, end)
			}
			end = at + size
			recs = append(recs, r)
		}) != nil {
			return
		}
		if end != len(b)-blockTail {
			t.Fatalf("the records end at %d of %d", end, len(b)-blockTail)
		}
		var got []Record
		if err := walk(sealed(recs...), func(r Record, _, _ int) { got = append(got, r) }); err != nil || len(got) != len(recs) {
			t.Fatalf("%d records, want %d (%v)", len(got), len(recs), err)
		}
	})
}
