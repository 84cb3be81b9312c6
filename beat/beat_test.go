package beat

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestBeatsAreTheSameForAll wants who begins at any time to wait until the same ones.
func TestBeatsAreTheSameForAll(t *testing.T) {
	first := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for _, late := range []time.Duration{0, 1, 37 * time.Millisecond, Every - 1, Every, 12345 * time.Microsecond * 777} {
		at := first.Add(late)
		if over := at.Add(Wait(at)).Sub(first) % Every; over != 0 || Wait(at) < 0 || Wait(at) >= Every {
			t.Errorf("%v after a beat: waits for %v, which is %v beside one", late, Wait(at), over)
		}
		if want := late % Every; Phase(at) != want {
			t.Errorf("%v after a beat: phase %v, want %v", late, Phase(at), want)
		}
		for _, beats := range []int{1, 2, 10} {
			if n := Next(at, beats); n <= 0 || n > time.Duration(beats)*Every ||
				at.Add(n).Sub(first)%(time.Duration(beats)*Every) != 0 {
				t.Errorf("%v after a beat: the next of %d after %v", late, beats, n)
			}
		}
	}
	now := time.Now() // with a monotonic reading
	if p, w := Phase(now), Wait(now); p+w != Every && p+w != 0 {
		t.Errorf("phase %v and wait %v", p, w)
	}
}

// TestSleep waits for as long as it is told, or until the context ends.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if !Sleep(t.Context(), time.Minute) || time.Since(began) != time.Minute {
			t.Errorf("%v have passed, want a minute", time.Since(began))
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if Sleep(ctx, time.Minute) || time.Since(began) != time.Minute+time.Second {
			t.Errorf("%v have passed, want it to end with the context", time.Since(began))
		}
	})
}
