package fidelity

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
