package host

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpansAgainstABitmap adds random spans and compares what is kept with one flag for each byte.
func TestSpansAgainstABitmap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 300 {
		var q spans
		there := make([]bool, 400)
		at := int64(0)
		for range 100 {
			from := at + 1 + random.Int64N(200)
			n := span{from, from + 1 + random.Int64N(20)}
			if n.to > int64(len(there)) {
				break
			}
			fresh, ok := q.add(n)
			if !ok {
				t.Fatal("no room")
			}
			if want := slices.Contains(there[n.from:n.to], false); fresh != want {
				t.Fatalf("%v into %v: fresh %t, want %t", n, q, fresh, want)
			}
			for i := n.from; i < n.to; i++ {
				there[i] = true
			}
			if random.IntN(5) == 0 {
				at++
				for at < int64(len(there)) && there[at] {
					at++
				}
				before := at - 1
				for before > 0 && there[before] {
					before--
				}
				if got := q.take(before + 1); got != at && there[before+1] {
					t.Fatalf("whole up to %d, want %d", got, at)
				}
			}
			for i, s := range q {
				if s.from >= s.to || i > 0 && s.from <= q[i-1].to {
					t.Fatalf("not in order or not apart: %v", q)
				}
			}
		}
	}
}

func TestSpansHaveALimit(t *testing.T) {
	var q spans
	for i := range int64(maxSpans) {
		if _, ok := q.add(span{10 * i, 10*i + 5}); !ok {
			t.Fatal("no room for", i)
		}
	}
	if _, ok := q.add(span{-10, -5}); ok || len(q) != maxSpans {
		t.Error("room for one more")
	}
	if fresh, ok := q.add(span{5, 10}); !fresh || !ok || len(q) != maxSpans-1 {
		t.Error("what joins two needs no room")
	}
}

func TestSpansBehindAreDropped(t *testing.T) {
	q := spans{{5, 10}, {12, 14}, {30, 40}}
	if at := q.take(20); at != 20 || len(q) != 1 {
		t.Errorf("whole up to %d, %v kept", at, q)
	}
}

func TestContentIsTheSameByByteAndByWord(t *testing.T) {
	whole := make([]byte, 100)
	Content(whole, 5)
	for from := range 20 {
		for to := from; to < 60; to++ {
			part := make([]byte, to-from)
			Content(part, uint64(5+from))
			if !slices.Equal(part, whole[from:to]) || misplaced(part, uint64(5+from)) != 0 {
				t.Fatalf("bytes %d to %d differ", from, to)
			}
		}
	}
	whole[50] ^= 1
	if misplaced(whole, 5) != 1 || misplaced(whole[1:], 5) < 90 {
		t.Error("a wrong byte, or all, not noticed")
	}
}
