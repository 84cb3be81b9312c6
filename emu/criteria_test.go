package emu

import (
	"testing"
	"time"
)

// TestSecondsAreJudged holds what makes a second bad, with what was in the window before it.
func TestSecondsAreJudged(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name      string
		s, before second
		want      criterion
	}{
		{"nothing", second{}, second{}, nothing},
		{"one in a hundred late", second{promises: 100, late: 1, by: ms, promised: time.Second}, second{}, nothing},
		{"two in a hundred late", second{promises: 100, late: 2, by: ms, promised: time.Second}, second{}, tooManyLate},
		{"two in a hundred late, after many that were not", second{promises: 100, late: 2, promised: time.Second},
			second{promises: 9999}, tooManyLate},
		{"the only one late", second{promises: 1, late: 1, by: 9 * ms, promised: ms}, second{}, nothing},
		{"one of a few late", second{promises: 5, late: 1, promised: time.Second}, second{promises: 40}, nothing},
		{"a second one of a few late", second{promises: 5, late: 1, promised: time.Second},
			second{promises: 40, late: 1}, tooManyLate},
		{"two of the window's many late", second{promises: 5, late: 2, promised: time.Second}, second{promises: 195}, nothing},
		{"late ones before", second{promises: 100, late: 1, promised: time.Second}, second{promises: 100, late: 9}, nothing},
		{"all a tenth late", second{promises: 10, by: 100 * ms, promised: time.Second}, second{}, nothing},
		{"all more than a tenth late", second{promises: 10, by: 101 * ms, promised: time.Second}, second{}, tooLateInAll},
		{"a few more than a tenth late", second{promises: 2, by: ms, promised: 2 * ms},
			second{promises: 98, promised: 98 * ms}, nothing},
		{"by so little that nobody sees", second{promises: 10, by: ms / 10, promised: ms / 10}, second{}, nothing},
		{"a long wait", second{waits: 10, longWaits: 1, held: 300 * ms}, second{}, nothing},
		{"few waits, of which a second was lost", second{waits: 3, longWaits: 2, held: 700 * ms},
			second{waits: 1, longWaits: 1, held: 400 * ms}, tooLongWaits},
		{"one long wait of a hundred", second{waits: 100, longWaits: 1, held: 20 * ms}, second{}, nothing},
		{"two long waits of a hundred", second{waits: 100, longWaits: 2, held: 40 * ms}, second{}, tooLongWaits},
	} {
		window := c.before
		window.count(&c.s)
		if got := c.s.fails(&window); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got.text(DefaultTolerance), c.want.text(DefaultTolerance))
		}
	}
}

// TestFewPromisesAreJudgedTogether has an all but idle network late once, and then again within the
// window.
func TestFewPromisesAreJudgedTogether(t *testing.T) {
	n, now := timed(t, "linear:2,delay=5ms")
	carry := func(late time.Duration) Fidelity {
		begin := *now + 1100*time.Millisecond
		stepAt(n, now, begin)
		speak(n.Hosts()[0], n.Hosts()[1], 100)
		stepAt(n, now, begin)
		stepAt(n, now, begin+5*time.Millisecond+late)
		return n.Fidelity()
	}
	for range 10 {
		carry(0)
	}
	carry(3 * time.Millisecond)
	if f := carry(0); !f.Kept || f.Late != 1 {
		t.Fatalf("late once: %+v", f)
	}
	carry(3 * time.Millisecond)
	if f := carry(0); f.Kept || f.Late != 2 || f.Bad != time.Second {
		t.Fatalf("late twice: %+v", f)
	}
}

// TestNothingPromisedNothingSaid holds that a network without promises says nothing of them.
func TestNothingPromisedNothingSaid(t *testing.T) {
	n, now := timed(t, "linear:1,hosts=2")
	speak(n.Hosts()[0], n.Hosts()[1], 100)
	stepAt(n, now, time.Second)
	*now = 3 * time.Second
	if f := n.Fidelity(); !f.Kept || f.Promised() || f.Summary() != "" || f.String() != "nothing was promised for a time" {
		t.Errorf("%q, %q: %+v", f.Summary(), f.String(), f)
	}
}
