package emu

import (
	"strings"
	"testing"
	"time"
)

// timed is a network whose clock the test sets: of hosts that speak over links of 5 ms.
func timed(t *testing.T, spec string) (*Network, *time.Duration) {
	n := stepped(t, spec, 1, 1)
	now := new(time.Duration)
	n.cfg.clock = func() time.Duration { return *now }
	return n, now
}

// stepAt steps all engines at a time, until nothing is left to do then.
func stepAt(n *Network, clock *time.Duration, at time.Duration) {
	*clock = at
	for busy := true; busy; {
		busy = false
		for _, e := range n.engines {
			_, more, _ := e.step(at)
			busy = busy || more || !e.maySleep()
		}
	}
}

// TestFidelityTellsLateFrames has frames arrive in time, then late, then in time again.
func TestFidelityTellsLateFrames(t *testing.T) {
	n, now := timed(t, "linear:2,delay=5ms")
	from, to := n.Hosts()[0], n.Hosts()[1]
	carry := func(late time.Duration) {
		begin := *now + 20*time.Millisecond
		stepAt(n, now, begin)
		speak(from, to, 100)
		stepAt(n, now, begin)
		stepAt(n, now, begin+5*time.Millisecond+late)
	}
	for range 100 {
		carry(0)
	}
	f := n.Fidelity()
	if !f.Kept || f.Why != "" || f.Promises != 100 || f.Late != 0 || f.Max != 0 || f.Excess != 0 {
		t.Fatalf("in time: %+v", f)
	}
	from2 := *now
	for range 50 {
		carry(3 * time.Millisecond)
	}
	*now += time.Second
	f = n.Fidelity()
	if f.Kept || f.Since > from2 || f.Since < from2-time.Second || f.Promises != 150 || f.Late != 50 ||
		f.Max != 3*time.Millisecond || f.P50 != 0 ||
		f.P99 != 3*time.Millisecond || f.Excess < 0.19 || f.Excess > 0.21 || f.Bad == 0 ||
		!strings.Contains(f.Why, "engine 1 of 1") ||
		!strings.HasPrefix(f.Why, "more than 1 in 100 were late by more than 1ms: ") ||
		!strings.HasPrefix(f.String(), "promised times NOT kept") {
		t.Fatalf("late: %+v", f)
	}
	if got := stationOf(to).count(); got != 150 {
		t.Fatalf("%d frames arrived", got)
	}
	*now += 12 * time.Second
	for range 10 {
		carry(0)
	}
	f = n.Fidelity()
	if !f.Kept || f.Promises != 10 || !strings.HasPrefix(f.Summary(), "promised times NOT kept in ") ||
		f.Recovered() != "promised times kept again" || f.Total.Late != 50 || f.Total.Promises != 160 {
		t.Fatalf("in time again: %+v", f)
	}
}

// TestLatenessDoesNotAddUp has an engine late at one link of three: the last one is reached when it
// was promised.
func TestLatenessDoesNotAddUp(t *testing.T) {
	n, now := timed(t, "linear:4,delay=5ms")
	speak(n.Hosts()[0], n.Hosts()[3], 100)
	for _, at := range []time.Duration{0, 9 * time.Millisecond, 12 * time.Millisecond, 15 * time.Millisecond} {
		stepAt(n, now, at)
	}
	if got := stationOf(n.Hosts()[3]).count(); got != 1 {
		t.Fatalf("%d frames have arrived after 15 ms", got)
	}
	if f := n.Fidelity(); f.Max != 4*time.Millisecond || f.Late != 2 {
		t.Errorf("%+v", f)
	}
}

// TestFidelityTellsLongWaits has more frames wait for their turn than an engine hands over in a
// round.
func TestFidelityTellsLongWaits(t *testing.T) {
	n, now := timed(t, "linear:1,hosts=2")
	for range 10 * roundFrames {
		speak(n.Hosts()[0], n.Hosts()[1], 100)
	}
	for i := range 40 {
		*now = time.Duration(i) * 150 * time.Millisecond
		n.engines[0].step(*now)
	}
	*now = 10 * time.Second
	f := n.Fidelity()
	if f.Kept || f.Wait < time.Second ||
		!strings.Contains(f.String(), "frames wait long for their turn: waits for a turn were longer than 10ms: ") ||
		!strings.HasPrefix(f.Summary(), "frames waited long") || f.Recovered() != "frames wait no longer for their turn" {
		t.Errorf("%+v", f)
	}
}

// TestBusyIsWhatIsNotRest holds the share of time in which an engine has something to do, also
// while it rests.
func TestBusyIsWhatIsNotRest(t *testing.T) {
	n, now := timed(t, "single:1")
	l := &n.engines[0].late
	busy := func() float64 { return n.Fidelity().Engines[0].Busy }
	*now = 20 * time.Second
	if got := busy(); got != 1 {
		t.Errorf("without a rest %v", got)
	}
	l.Rests(20 * time.Second)
	*now = 30*time.Second - 1
	if got := busy(); got > 0.01 {
		t.Errorf("while it rests %v", got)
	}
	l.Wakes(35*time.Second, 3*time.Millisecond)
	*now = 40*time.Second - 1
	if got := busy(); got < 0.49 || got > 0.51 {
		t.Errorf("after half a window of rest %v", got)
	}
	if got := n.Fidelity().Engines[0].Overslept; got != 3*time.Millisecond {
		t.Errorf("woken %v late", got)
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
