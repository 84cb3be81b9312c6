package liveness

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const ms = time.Millisecond

var start = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// watch is the Core of instance 1 with members 2 and 3, and what has come from them.
type watch struct {
	*Core
	now     time.Time
	numbers map[ID]uint64
}

func newWatch(members ...ID) *watch {
	w := &watch{Core: New(Config{Self: Life{1, 10}}, start), now: start, numbers: map[ID]uint64{}}
	w.SetMembers(members, w.now)
	return w
}

// beat has a heartbeat come from a life, which hears those.
func (w *watch) beat(from Life, hears ...Life) bool {
	w.numbers[from.ID]++
	return w.Receive(&Heartbeat{From: from, Number: w.numbers[from.ID], Period: 10 * ms, Hears: hears}, w.now)
}

// pass lets time pass, with a tick at each period, and heartbeats of those before each.
func (w *watch) pass(d time.Duration, from ...Life) {
	for end := w.now.Add(d); w.now.Before(end); {
		w.now = w.now.Add(10 * ms)
		for _, l := range from {
			w.beat(l)
		}
		w.Tick(w.now)
	}
}

func TestSilenceIsSuspected(t *testing.T) {
	w := newWatch(1, 2, 3)
	two, three := Life{2, 20}, Life{3, 30}
	if w.Heard(2) || w.Suspected(2) || !w.Heard(1) || w.Suspected(1) || w.Heard(4) || w.Suspected(4) {
		t.Fatal("at the beginning nobody but oneself is heard, nobody is suspected")
	}
	w.pass(100*ms, two, three)
	if !w.Heard(2) || !w.Heard(3) || !slices.Equal(w.Hears(), []Life{two, three}) {
		t.Fatalf("heard are %v", w.Hears())
	}
	if h := w.Heartbeat(w.now); w.Unsaid() || h.Number != 1 || h.From != (Life{1, 10}) || !slices.Equal(h.Hears, w.Hears()) {
		t.Errorf("%+v", h)
	}
	w.pass(40*ms, two)
	if w.Suspected(3) || w.Unsaid() {
		t.Error("suspected after four periods")
	}
	w.pass(10*ms, two)
	if !w.Suspected(3) || w.Heard(3) || w.Suspected(2) || !w.Unsaid() || !slices.Equal(w.Hears(), []Life{two}) {
		t.Error("not suspected after five periods")
	}
	if c := w.Counts(); c.Suspicions != 1 || c.Gaps != 0 {
		t.Errorf("%+v", c)
	}
	w.numbers[3] += 5
	if !w.beat(three) || w.Suspected(3) || !w.Heard(3) {
		t.Error("a heartbeat does not end the suspicion")
	}
	if c := w.Counts(); c.Missed != 5 {
		t.Errorf("%d heartbeats missed, want 5", c.Missed)
	}
	if w.beat(three) {
		t.Error("one more heartbeat has changed something")
	}
}

// TestNeverHeard: who was never heard has more time, and nobody takes its place before.
func TestNeverHeard(t *testing.T) {
	w := newWatch(2, 3)
	w.pass(2000*ms, Life{3, 30})
	if w.Suspected(2) || w.Unheard(Life{2, 20}) {
		t.Error("suspected within two seconds")
	}
	w.pass(10*ms, Life{3, 30})
	if !w.Suspected(2) || !w.Unheard(Life{2, 20}) {
		t.Error("not suspected after two seconds")
	}
}

func TestLostStream(t *testing.T) {
	w := newWatch(2, 3)
	two, three := Life{2, 20}, Life{3, 30}
	w.pass(50*ms, two, three)
	w.Lost(2, w.now)
	w.Lost(3, w.now)
	w.pass(10 * ms)
	w.Connected(3, w.now)
	w.pass(10 * ms)
	w.Lost(2, w.now) // of a second try, which ends too
	if w.Suspected(2) || w.Suspected(3) {
		t.Error("suspected within two periods after the loss")
	}
	w.pass(10 * ms)
	if !w.Suspected(2) || w.Suspected(3) {
		t.Error("not suspected after two periods, or with a new stream")
	}
	w.pass(20 * ms)
	if w.Suspected(3) {
		t.Error("suspected within four periods of a new stream")
	}
	w.pass(10 * ms)
	if !w.Suspected(3) {
		t.Error("not suspected after four periods on a new stream")
	}
}

// TestLives: who was started again has left its former life, and nothing of that comes back.
func TestLives(t *testing.T) {
	w := newWatch(2)
	old, again := Life{2, 20}, Life{2, 21}
	w.pass(50*ms, old)
	if w.Unheard(old) || w.Unheard(again) {
		t.Error("a life that is heard, or could be a later one, is taken for dead")
	}
	w.numbers[2] = 0
	if !w.beat(again) {
		t.Error("a later life is no change")
	}
	if !w.Unheard(old) || w.Unheard(again) {
		t.Error("the life before the one that is heard is not taken for dead, or that one is")
	}
	w.numbers[2] = 1000
	if w.beat(old) || w.Unheard(again) || w.Hears()[0] != again {
		t.Error("a heartbeat of a former life has brought it back")
	}
	if w.Counts().Stale != 1 {
		t.Errorf("%+v", w.Counts())
	}
	if w.Unheard(Life{1, 10}) || !w.Unheard(Life{1, 9}) || !w.Unheard(Life{9, 90}) {
		t.Error("of oneself, of a former life of oneself, of no member")
	}
}

// TestUnheard: who does not hear the owner waits as long as one that it hears says that it does.
func TestUnheard(t *testing.T) {
	w := newWatch(2, 3, 4)
	owner, three, four := Life{2, 20}, Life{3, 30}, Life{4, 40}
	w.pass(50*ms, owner, three, four)
	for range 10 {
		w.pass(10 * ms)
		w.beat(three, owner, four)
		w.beat(four, three)
	}
	if !w.Suspected(2) || w.Unheard(owner) {
		t.Error("3 says that it hears 2, and 2 is taken for dead")
	}
	if !w.beat(three, four) || !w.Unheard(owner) {
		t.Error("nobody says any more that it hears 2")
	}
	w.beat(three, owner)
	for range 10 {
		w.pass(10*ms, four)
	}
	if w.Heard(3) || !w.Unheard(owner) {
		t.Error("what 3 said holds though 3 is not heard any more")
	}
	if got := w.First([]ID{2, 3, 4, 1}); got != 4 {
		t.Errorf("%d is first, want 4", got)
	}
	if got := w.First([]ID{2, 3}); got != 0 {
		t.Errorf("%d is first, want none", got)
	}
	if got := w.First([]ID{1, 4}); got != 1 {
		t.Errorf("%d is first, want 1", got)
	}
}

// TestGap: a process that did not run for a minute suspects nobody for it; the one that died meanwhile it does later.
func TestGap(t *testing.T) {
	w := newWatch(2, 3)
	two, three := Life{2, 20}, Life{3, 30}
	w.pass(50*ms, two, three)
	w.pass(30*ms, two) // 3 was silent before
	w.now = w.now.Add(time.Minute)
	w.Tick(w.now)
	if w.Suspected(2) || w.Suspected(3) || w.Counts().Gaps != 1 {
		t.Fatal("suspected after a gap")
	}
	w.pass(4*40*ms, two)
	if w.Suspected(3) {
		t.Error("suspected without regard to the delay")
	}
	w.pass(time.Second, two)
	if !w.Suspected(3) || w.Suspected(2) {
		t.Errorf("after a second: %v", w.Members())
	}
}

// TestOthersDelay: the limit has room for what a member says of itself.
func TestOthersDelay(t *testing.T) {
	w := newWatch(2, 3)
	w.Receive(&Heartbeat{From: Life{2, 20}, Number: 1, Period: 10 * ms, Delay: 100 * ms}, w.now)
	w.Receive(&Heartbeat{From: Life{3, 30}, Number: 1, Period: 50 * ms, Delay: time.Minute}, w.now)
	w.pass(140 * ms)
	if w.Suspected(2) {
		t.Error("its own delay does not count")
	}
	w.pass(10 * ms)
	if !w.Suspected(2) {
		t.Error("it counts twice")
	}
	w.pass(1950 * ms)
	if w.Suspected(3) {
		t.Error("of a longer period, and the greatest delay")
	}
	w.pass(10 * ms)
	if !w.Suspected(3) {
		t.Error("there is no greatest delay")
	}
}

// TestQuiet: while all ticks come on time heartbeats are half as many, and suspicions come no later.
func TestQuiet(t *testing.T) {
	w := newWatch(2, 3)
	w.pass(50*ms, Life{2, 20}, Life{3, 30})
	if p := w.Heartbeat(w.now).Period; p != 20*ms {
		t.Errorf("a period of %v while all is quiet", p)
	}
	w.Receive(&Heartbeat{From: Life{2, 20}, Number: 100, Period: 20 * ms, Delay: 6 * ms}, w.now)
	if p := w.Period(w.now); p != 10*ms {
		t.Errorf("a period of %v while another's ticks are late", p)
	}
	w.Receive(&Heartbeat{From: Life{2, 20}, Number: 101, Period: 20 * ms}, w.now)
	w.Receive(&Heartbeat{From: Life{3, 30}, Number: 100, Period: 30 * ms}, w.now)
	if d := w.Deadline(w.now).Sub(w.now); d != 40*ms+1 || w.Limit(2, w.now) != 40*ms || w.Limit(3, w.now) != 60*ms {
		t.Errorf("suspected in %v, limits of %v and %v", d, w.Limit(2, w.now), w.Limit(3, w.now))
	}
	w.now = w.now.Add(40*ms + 1)
	w.due = w.now
	if !w.Tick(w.now) || !w.Suspected(2) || w.Suspected(3) {
		t.Error("not suspected by a tick at the deadline")
	}
	w.due = w.now
	w.now = w.now.Add(6 * ms)
	w.Tick(w.now)
	if p := w.Period(w.now); p != 10*ms {
		t.Errorf("a period of %v while own ticks are late", p)
	}
	if d := w.Deadline(w.now); !d.Equal(w.now.Add(20 * ms)) { // 3 was heard 46 ms ago
		t.Errorf("3 is suspected in %v", d.Sub(w.now))
	}
	w.SetMembers(nil, w.now)
	if !w.Deadline(w.now).IsZero() {
		t.Error("a deadline without members")
	}
}

func TestMembersGo(t *testing.T) {
	w := newWatch(3, 2, 2, 1, 0)
	w.pass(20*ms, Life{2, 20}, Life{3, 30})
	w.SetMembers([]ID{3}, w.now)
	if w.Heard(2) || !w.Heard(3) || w.beat(Life{2, 20}) || len(w.Members()) != 1 || len(w.Hears()) != 1 {
		t.Errorf("%v", w.Members())
	}
	w.SetMembers([]ID{2, 3}, w.now)
	if w.Heard(2) || w.Suspected(2) || !w.beat(Life{2, 20}) {
		t.Error("a member that comes back is a new one")
	}
	var many []ID
	for i := range ID(100) {
		many = append(many, i)
	}
	w.SetMembers(many, w.now)
	if n := len(w.Members()); n != MaxMembers {
		t.Errorf("%d members", n)
	}
}

// twin is a Core's knowledge of one member, computed anew from all that happened, each time.
type twin struct {
	ticks []time.Time // and when each was due
	due   []time.Time
}

// delay is the largest of all delays, each as much as is left of it.
func (w *twin) delay(n int, at time.Time) (most float64) {
	for i := range n {
		late := min(max(w.ticks[i].Sub(w.due[i]), 0), 2*time.Second)
		most = max(most, float64(late)*math.Exp2(-at.Sub(w.ticks[i]).Seconds()))
	}
	return most
}

// gap reports whether this process did not run before the tick with this number.
func (w *twin) gap(n int) bool {
	return float64(w.ticks[n].Sub(w.due[n])) > 2*w.delay(n, w.ticks[n])+float64(10*ms)
}

// near reports whether rounding decides.
func near(a, b float64) bool { return math.Abs(a-b) < float64(10*time.Microsecond) }

// TestRandomSchedules: ticks that are late, heartbeats that are lost, late, doubled and in another order, gaps. A member is
// suspected exactly when the naive twin says so.
func TestRandomSchedules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := New(Config{Self: Life{1, 10}}, start)
		c.SetMembers([]ID{2}, start)
		w := &twin{}
		type arrival struct {
			at     time.Time
			number uint64
			delay  time.Duration
		}
		var due []arrival
		loss := rapid.IntRange(0, 60).Draw(t, "loss")
		for i := range uint64(150) {
			if rapid.IntRange(0, 99).Draw(t, "lost") < loss {
				continue
			}
			late := rapid.SampledFrom([]time.Duration{0, 0, 0, ms, 5 * ms, 30 * ms, 60 * ms, 300 * ms}).Draw(t, "late")
			at := start.Add(time.Duration(i) * 10 * ms).Add(late)
			said := rapid.SampledFrom([]time.Duration{0, 0, 0, 15 * ms}).Draw(t, "said")
			due = append(due, arrival{at, i + 1, said})
			if rapid.IntRange(0, 9).Draw(t, "twice") == 0 {
				due = append(due, arrival{at.Add(7 * ms), i + 1, said})
			}
		}
		slices.SortStableFunc(due, func(a, b arrival) int { return a.at.Compare(b.at) })
		heard, suspected := false, false
		since, said, last := start, time.Duration(0), uint64(0)
		for now := start; now.Before(start.Add(2500 * ms)); {
			late := rapid.SampledFrom([]time.Duration{0, 0, 0, 0, 100 * time.Microsecond, ms, 9 * ms, 25 * ms, 70 * ms,
				400 * ms}).Draw(t, "tick")
			now = c.Next().Add(late)
			for len(due) > 0 && !due[0].at.After(now) {
				a := due[0]
				due = due[1:]
				c.Receive(&Heartbeat{From: Life{2, 20}, Number: a.number, Period: 10 * ms, Delay: a.delay}, a.at)
				if a.number > last {
					last, since, said, heard, suspected = a.number, a.at, a.delay, true, false
				}
			}
			w.ticks, w.due = append(w.ticks, now), append(w.due, c.Next())
			c.Tick(now)
			n := len(w.ticks) - 1
			if near(float64(late), 2*w.delay(n, now)+float64(10*ms)) {
				return
			}
			limit := float64(40*ms) + min(w.delay(n+1, now)+float64(said), float64(2*time.Second))
			if !heard {
				limit = max(float64(2*time.Second), w.delay(n+1, now))
			}
			if near(float64(now.Sub(since)), limit) {
				return
			}
			switch {
			case w.gap(n):
				since = now
			case float64(now.Sub(since)) > limit:
				suspected = true
			}
			if c.Suspected(2) != suspected || c.Heard(2) != (heard && !suspected) {
				t.Fatalf("%v after the start: suspected %v, want %v (silence %v, limit %v)", now.Sub(start),
					c.Suspected(2), suspected, now.Sub(since), time.Duration(limit))
			}
		}
	})
}

// TestDeadAreSuspected: whatever ticks do, as long as they are no more than a second late, who has died is suspected
// within its limit and a few delays; on time, within its limit and a tick.
func TestDeadAreSuspected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := time.Duration(rapid.IntRange(0, 990).Draw(t, "most")) * ms
		c := New(Config{Self: Life{1, 10}}, start)
		c.SetMembers([]ID{2}, start)
		c.Receive(&Heartbeat{From: Life{2, 20}, Number: 1, Period: 10 * ms}, start)
		for n := 0; !c.Suspected(2); n++ {
			now := c.Next().Add(time.Duration(rapid.Int64Range(0, int64(most)).Draw(t, "late")))
			c.Tick(now)
			if bound := 50*ms + 12*most; !c.Suspected(2) && now.Sub(start) > bound {
				t.Fatalf("not suspected %v after its last heartbeat (%d ticks, at most %v late)", now.Sub(start), n, most)
			}
		}
	})
}

// TestPauseRaisesNoSuspicion: with ticks that were on time, a process stops for any time at any moment; what was sent
// meanwhile comes up to a limit after it goes on, and nobody was suspected.
func TestPauseRaisesNoSuspicion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWatch(2)
		two := Life{2, 20}
		w.pass(time.Duration(rapid.IntRange(1, 50).Draw(t, "before"))*10*ms, two)
		w.pass(time.Duration(rapid.IntRange(0, 4).Draw(t, "silent")) * 10 * ms) // it was silent when the stop came
		// A stop of up to 10 ms is no gap, and counts as silence.
		w.now = w.now.Add(time.Duration(rapid.Int64Range(21, 100_000).Draw(t, "pause")) * ms)
		w.Tick(w.now)
		for range rapid.IntRange(0, 4).Draw(t, "until read") {
			w.pass(10 * ms)
		}
		if w.Suspected(2) || w.Counts().Suspicions > 0 {
			t.Fatalf("suspected: %+v", w.Counts())
		}
		w.pass(100*ms, two)
		if !w.Heard(2) || w.Counts().Suspicions > 0 {
			t.Fatalf("not heard: %+v", w.Counts())
		}
	})
}
