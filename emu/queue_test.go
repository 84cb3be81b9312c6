package emu

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestRing compares the queue with a slice over random pushes and pops.
func TestRing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var q ring[int]
	var want []int
	for i := range 20000 {
		if grow := i/2000%2 == 0; r.IntN(10) < 3 == grow && len(want) > 0 {
			if first := *q.first(); first != want[0] {
				t.Fatalf("first is %d, want %d", first, want[0])
			}
			if got := q.pop(); got != want[0] {
				t.Fatalf("popped %d, want %d", got, want[0])
			}
			want = want[1:]
		} else {
			q.push(i)
			want = append(want, i)
		}
		if q.len() != len(want) || len(q.items) > minRing && q.len()*16 < len(q.items) {
			t.Fatalf("%d items in room for %d, want %d items", q.len(), len(q.items), len(want))
		}
	}
}

// TestTimers compares the heap with sorting: by time, and of two at one time the one set first.
func TestTimers(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var q timers
	all := make([]*timer, 50)
	for i := range all {
		all[i] = new(timer)
	}
	for range 20000 {
		at := time.Duration(r.IntN(30))
		switch x := all[r.IntN(len(all))]; {
		case r.IntN(3) > 0:
			q.set(x, at)
		case r.IntN(2) > 0:
			was, set := x.at, x.pos != 0
			q.sooner(x, at)
			if set && x.at != min(was, at) || !set && x.at != at {
				t.Fatalf("due at %v, set to %v before and asked for %v", x.at, was, at)
			}
		case len(q.heap) > 0:
			var set []*timer
			for _, x := range all {
				if x.pos != 0 {
					set = append(set, x)
				}
			}
			first := slices.MinFunc(set, func(a, b *timer) int {
				if a.at != b.at {
					return int(a.at - b.at)
				}
				return int(a.seq) - int(b.seq)
			})
			if at, ok := q.next(); !ok || at != first.at {
				t.Fatalf("next is at %v, want %v", at, first.at)
			}
			if got := q.pop(); got != first || got.pos != 0 {
				t.Fatalf("popped the timer of %v and %d, want that of %v and %d", got.at, got.seq, first.at, first.seq)
			}
		}
	}
}
