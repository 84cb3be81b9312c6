package arrivals

import (
	"math/rand/v2"
	"testing"
)

// TestNumbers compares the counts with those of a list of all that came, in random order.
func TestNumbers(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var n Numbers
		came := map[uint64]bool{}
		var next, doubled, reordered uint64
		for range 20_000 {
			seq := next + r.Uint64N(3)
			if next > 0 && r.IntN(4) == 0 {
				seq = next - 1 - r.Uint64N(min(next, Window))
			}
			switch {
			case came[seq]:
				doubled++
			case seq < next:
				reordered++
			}
			if n.Record(seq) == came[seq] {
				t.Fatalf("seed %d: %d had come before: %v, and is told otherwise", seed, seq, came[seq])
			}
			came[seq] = true
			next = max(next, seq+1)
		}
		want := [5]uint64{next, uint64(len(came)), next - uint64(len(came)), doubled, reordered}
		if got := [5]uint64{n.Next, n.Received, n.Missing(), n.Duplicated, n.Reordered}; got != want || n.Stale != 0 {
			t.Fatalf("seed %d: next, received, missing, doubled, reordered are %v, %d stale; want %v", seed, got, n.Stale, want)
		}
	}
}

// TestBeyondTheWindow counts what is too far back to know.
func TestBeyondTheWindow(t *testing.T) {
	var n Numbers
	n.Record(5000)
	for _, seq := range []uint64{3976, 3977, 3977} { // 1,025 back, and 1,024
		n.Record(seq)
	}
	if n.Reordered != 2 || n.Stale != 1 || n.Duplicated != 1 || n.Received != 3 || n.Missing() != 5001-3 {
		t.Errorf("%+v, %d missing", n, n.Missing())
	}
}
