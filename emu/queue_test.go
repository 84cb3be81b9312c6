package emu

import (
	"math/rand/v2"
	"testing"
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

// TestTimersSooner: a timer that is due is not put off, and those that are exact are counted.
func TestTimersSooner(t *testing.T) {
	q, a, b := newTimers(), &timer{exact: true}, new(timer)
	q.sooner(a, 5)
	q.sooner(a, 7)
	q.set(b, 4)
	q.sooner(b, 3)
	if at, ok := q.next(); !ok || at != 3 || a.at != 5 || q.exact != 1 {
		t.Fatalf("first at %v, the other at %v, %d exact", at, a.at, q.exact)
	}
	q.set(a, 1)
	if q.pop() != a || q.exact != 0 || q.pop() != b {
		t.Fatal("popped in another order")
	}
	if _, ok := q.next(); ok {
		t.Fatal("something is left")
	}
}
