package fidelity

import (
	"fmt"
	"time"
)

// Report is how well a network keeps the times that it promises: delays of links, and what
// profiles of switches say. Without any it promises that nothing waits for the machine. Counts and
// distributions but Total are of the last Window.
type Report struct {
	Kept      bool          // in every second of the window but the present one
	Since     time.Duration // if not: the network's age when it began not to keep them
	Why       string        // if not: by which criterion, of which engine, and what it lacked; empty otherwise
	Window    time.Duration
	Tolerance time.Duration // what is later is late
	Lateness
	Engines []Engine      // in their order
	Total   Lateness      // since the network was made
	Bad     time.Duration // how many seconds were not kept since then
}

// Lateness is how late something was, of what was promised for a time.
type Lateness struct {
	Promises           uint64 // frames that were to arrive at a time, and what a switch was to do at a time
	Late               uint64 // of them, by more than the tolerance
	P50, P90, P99, Max time.Duration
	Excess             float64       // all lateness, as a share of all the time that was promised; 0 of none
	Wait               time.Duration // the longest that anything waited for its turn at an engine
}

// Engine is the part of one engine.
type Engine struct {
	Promises, Late uint64
	Max            time.Duration
	Busy           float64       // share of the time in which it had something to do, 0 to 1
	Overslept      time.Duration // by how much it was woken too late, at most: then the machine had something else to do
}

// Of is the report of a network at an age, from the meters of its engines.
func Of(meters []*Meter, tolerance, now time.Duration) Report {
	f := Report{Kept: true, Window: windowSeconds * time.Second, Tolerance: tolerance}
	all, total := second{spread: newSpread()}, second{spread: newSpread()}
	worst, since := 0, int64(-1)
	var worstLate uint64
	failed := nothing
	for i, l := range meters {
		l.mu.Lock()
		l.at(now)
		mine := second{spread: newSpread()}
		for j := range l.seconds {
			mine.add(&l.seconds[j])
		}
		total.add(&l.total)
		total.add(&l.seconds[l.current%windowSeconds])
		f.Bad = max(f.Bad, time.Duration(l.bad)*time.Second)
		bad := l.lastBad >= 0 && l.current-l.lastBad < windowSeconds
		if bad && (since < 0 || l.firstBad < since) {
			since = l.firstBad
		}
		begin := max(time.Duration(l.current-windowSeconds+1)*time.Second, 0)
		idle, how := l.idle(begin, now), l.failed
		l.mu.Unlock()
		all.add(&mine)
		span := now - begin
		one := Engine{Promises: mine.promises, Late: mine.late, Max: mine.max, Overslept: mine.overslept}
		if span > 0 {
			one.Busy = min(max(1-float64(idle)/float64(span), 0), 1)
		}
		f.Engines = append(f.Engines, one)
		if bad && (f.Kept || mine.late+mine.longWaits > worstLate) {
			f.Kept, worst, worstLate, failed = false, i, mine.late+mine.longWaits, how
		}
	}
	f.Lateness, f.Total = all.summary(), total.summary()
	if !f.Kept {
		f.Since, f.Why = time.Duration(since)*time.Second, failed.text(f.Tolerance)+": "+f.shortage(worst)
	}
	return f
}

// busyEngine is the share of its time above which an engine has too much to do.
const busyEngine = 0.9

// shortage is what an engine lacked.
func (f *Report) shortage(worst int) string {
	e := &f.Engines[worst]
	name := fmt.Sprintf("engine %d of %d", worst+1, len(f.Engines))
	if e.Busy > busyEngine {
		return fmt.Sprintf("%s has too much to do: busy %.0f%% of the time", name, 100*e.Busy)
	}
	if e.Overslept <= f.Tolerance {
		return fmt.Sprintf("frames waited for their turn for up to %s at %s, busy %.0f%%", short(f.Wait), name, 100*e.Busy)
	}
	return fmt.Sprintf("the machine gave %s no time when it was due: woken up to %s late, busy %.0f%%", name,
		short(e.Overslept), 100*e.Busy)
}

// summary is a distribution in a few numbers.
func (s *second) summary() Lateness {
	at := func(q float64) time.Duration {
		return min(time.Duration(s.spread.ValueAtQuantile(q))*time.Microsecond, s.max)
	}
	l := Lateness{Promises: s.promises, Late: s.late, Max: s.max, Wait: s.longest}
	if s.promises > 0 {
		l.P50, l.P90, l.P99 = at(50), at(90), at(99)
	}
	if s.promised > 0 {
		l.Excess = float64(s.by) / float64(s.promised)
	}
	return l
}

// Promised reports whether anything was promised for a time, ever. Where nothing was there is
// nothing to say while Kept is true.
func (f *Report) Promised() bool { return f.Total.Promises > 0 }

// String is the fidelity on a line.
func (f *Report) String() string {
	text := "promised times kept"
	switch {
	case !f.Promised() && f.Kept:
		return "nothing was promised for a time"
	case !f.Promised():
		return "frames wait long for their turn: " + f.Why
	case !f.Kept:
		text = "promised times NOT kept"
	}
	if f.Promises > 0 {
		text += fmt.Sprintf(": half of %d not more than %s late, 99%% not more than %s, the latest %s", f.Promises,
			short(f.P50), short(f.P99), short(f.Max))
	}
	if f.Wait > longWait*f.Tolerance {
		text += fmt.Sprintf("; frames waited for their turn for up to %s", short(f.Wait))
	}
	if !f.Kept {
		text += "; " + f.Why
	}
	return text
}

// Recovered is what is to be said when Kept is true again.
func (f *Report) Recovered() string {
	if !f.Promised() {
		return "frames wait no longer for their turn"
	}
	return "promised times kept again"
}

// Summary is what is to be said of the whole time at its end; empty if there is nothing to say,
// because nothing was promised.
func (f *Report) Summary() string {
	t := &f.Total
	switch {
	case t.Promises == 0 && f.Bad > 0:
		return fmt.Sprintf("frames waited long for their turn in %s: up to %s", f.Bad, short(t.Wait))
	case t.Promises == 0:
		return ""
	case f.Bad > 0:
		return fmt.Sprintf("promised times NOT kept in %s: %d of %d late by more than %s, 99%% not more than %s, the latest %s; frames waited for their turn for up to %s",
			f.Bad, t.Late, t.Promises, short(f.Tolerance), short(t.P99), short(t.Max), short(t.Wait))
	}
	return fmt.Sprintf("promised times kept: %d, 99%% not more than %s late, the latest %s", t.Promises,
		short(t.P99), short(t.Max))
}

// short rounds a time to what matters of it.
func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
