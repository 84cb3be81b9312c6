package probe

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestStreamIsAsItsWay gives the same packets, of which some are lost, doubled or late, to a Stream
// and, as lists, to a Way, whichever end is told of first.
func TestStreamIsAsItsWay(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		type event struct {
			told Stamp // when the stream hears of it
			at   Stamp
			n    uint64
			came bool
		}
		var events []event
		var w Way
		at := Stamp(0)
		for n := range uint64(5000) {
			at += Stamp(50_000 + r.IntN(20_000))
			came := at + 1_000_000 + Stamp(r.IntN(30_000))
			events = append(events, event{at + Stamp(r.IntN(3_000_000)), at, n, false})
			switch r.IntN(50) {
			case 0:
				w.Lost++
				continue
			case 1:
				events = append(events, event{came + 10, came + 10, n, true})
				w.Doubled++
			}
			events = append(events, event{came, came, n, true})
			w.Trips = append(w.Trips, Trip{Left: Passage{First: at, Last: at},
				Came: Passage{First: came, Last: came, Bytes: 1480}})
		}
		slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.told, b.told) })
		var s Stream
		for _, e := range events {
			if e.came {
				s.Came(e.n, e.at, 1480)
			} else {
				s.Left(e.n, e.at)
			}
		}
		slices.SortStableFunc(w.Trips, func(a, b Trip) int { return cmp.Compare(a.Came.Last, b.Came.Last) })
		want, got := w.Flow(), s.Flow()
		got.Jitter, want.Jitter = got.Jitter.Round(10*time.Nanosecond), want.Jitter.Round(10*time.Nanosecond)
		if got != want || s.Unmatched() != 0 {
			t.Fatalf("seed %d: %+v, want %+v; %d unmatched", seed, got, want, s.Unmatched())
		}
	}
}

// TestStreamOfOnesOwn counts what was never seen leaving, and keeps a bounded number of it.
func TestStreamOfOnesOwn(t *testing.T) {
	var s Stream
	for n := range uint64(maxWaiting + 100) {
		s.Came(n, Stamp(n*1000), 100)
	}
	const all = maxWaiting + 100
	if f := s.Flow(); f.Received != all || f.Jitter != 0 || s.Unmatched() != all || len(s.waiting) != maxWaiting {
		t.Errorf("%+v, %d unmatched, %d waiting", f, s.Unmatched(), len(s.waiting))
	}
}
