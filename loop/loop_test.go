package loop

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/beat"
)

// run runs a part in a bubble until the test ends it.
func run(t *testing.T, p *Part) (end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Run(ctx)
	}()
	synctest.Wait()
	return func() {
		stop()
		<-ended
	}
}

// TestRun wakes a part in every way that there is, and counts its turns.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns atomic.Int64
		began, ended := time.Now(), false
		changed := make(chan struct{})
		var next time.Time
		var woken []bool
		p := &Part{
			Bell: NewBell(), Changed: func() <-chan struct{} { return changed },
			Turn:  func() time.Time { turns.Add(1); n := next; next = time.Time{}; return n },
			Woken: func(rung bool) { woken = append(woken, rung) },
			End:   func() { ended = true },
		}
		end := run(t, p)
		want := func(n int, why string) {
			t.Helper()
			if synctest.Wait(); turns.Load() != int64(n) || p.turns.Load() != uint64(n) {
				t.Fatalf("%s: %d turns, %d counted, want %d", why, turns.Load(), p.turns.Load(), n)
			}
		}
		want(1, "at once")
		time.Sleep(time.Hour)
		want(1, "nothing has come")
		next = time.Now().Add(time.Minute)
		p.Bell.Ring()
		want(2, "rung")
		time.Sleep(time.Minute)
		want(3, "the time has come")
		time.Sleep(time.Hour)
		synctest.Wait()
		want(3, "and only once")
		old := changed
		changed = make(chan struct{})
		close(old)
		want(4, "changed")
		if p.Pulse() != 4 {
			t.Errorf("pulse: %d", p.Pulse())
		}
		want(5, "asked for its pulse")
		if fmt.Sprint(woken) != "[true false true]" {
			t.Errorf("woken by ring: %v", woken)
		}
		end()
		if !ended || p.Waiting() {
			t.Errorf("ended: %v, waiting: %v, after %v", ended, p.Waiting(), time.Since(began))
		}
	})
}

// TestBeats has parts take turns, and beats, at whole multiples of a beat, and the lazy at the
// next.
func TestBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(37 * time.Millisecond)
		var turned, beaten, late []time.Time
		note := func(to *[]time.Time) { *to = append(*to, time.Now()) }
		ends := []func(){
			run(t, &Part{Beats: 3, Turn: func() time.Time { note(&turned); return time.Now().Add(time.Nanosecond) }}),
			run(t, &Part{Beats: 10, Beat: func() { note(&beaten) }, Turn: func() time.Time { return time.Time{} }}),
			run(t, &Part{Lazy: true, Turn: func() time.Time { note(&late); return time.Now().Add(120 * time.Millisecond) }}),
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		for name, x := range map[string]struct {
			times []time.Time
			every time.Duration
			count int
		}{"turns": {turned, 300 * time.Millisecond, 10}, "beats": {beaten, time.Second, 3}, "lazy": {late[1:], beat.Every, 14}} {
			if len(x.times) < x.count || len(x.times) > x.count+1 {
				t.Errorf("%s: %d, want %d", name, len(x.times), x.count)
			}
			for _, at := range x.times {
				if !at.Equal(at.Truncate(x.every)) {
					t.Errorf("%s at %v, want a multiple of %v", name, at, x.every)
				}
			}
		}
		for _, end := range ends {
			end()
		}
	})
}

// TestAfter gathers what comes together into one turn, and ends while it waits for more.
func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns atomic.Int64
		p := &Part{Bell: NewBell(), Turn: func() time.Time { turns.Add(1); return time.Time{} },
			After: func() time.Duration { return time.Second }}
		end := run(t, p)
		for range 9 {
			p.Bell.Ring()
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if turns.Load() != 1 {
			t.Errorf("%d turns before After is over, want 1", turns.Load())
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if turns.Load() != 3 { // the second ring of the nine was left for one more
			t.Errorf("%d turns, want 3", turns.Load())
		}
		p.Bell.Ring()
		end()
		if turns.Load() != 3 {
			t.Errorf("%d turns after the end", turns.Load())
		}
	})
}

// TestStep drives a part without Run: the same turns and beats, at times of the caller's.
func TestStep(t *testing.T) {
	now, behind := time.Unix(100, 0), true
	var log []string
	p := &Part{
		Bell: NewBell(), Behind: func() bool { return behind },
		Turn:  func() time.Time { log = append(log, "turn"); behind = false; return now.Add(3 * time.Second) },
		Woken: func(rung bool) { log = append(log, fmt.Sprint("woken ", rung)) },
		Beats: 20, Beat: func() { log = append(log, "beat") },
	}
	step := func(want time.Duration, lines ...string) {
		t.Helper()
		log = nil
		if next := p.Step(now); next.Sub(now) != want || fmt.Sprint(log) != fmt.Sprint(lines) {
			t.Errorf("next after %v, %v, want %v, %v", next.Sub(now), log, want, lines)
		}
		if p.Waiting() {
			t.Error("it waits for a turn that it has had")
		}
	}
	if !p.Waiting() {
		t.Error("behind, and it does not wait")
	}
	step(2*time.Second, "turn")
	p.Bell.Ring()
	if !p.Waiting() || !p.Bell.Rung() {
		t.Error("rung, and it does not wait")
	}
	now = now.Add(time.Second)
	step(time.Second, "woken true", "turn")
	now = now.Add(time.Second)
	step(2*time.Second, "beat", "turn")
	q := &Part{Turn: func() time.Time { return time.Time{} }}
	q.Bell.Ring() // it has none
	if next := q.Step(now); !next.IsZero() || q.Waiting() {
		t.Errorf("without anything: next %v, waiting %v", next, q.Waiting())
	}
}

// TestOwn leaves waiting and counting to the part.
func TestOwn(t *testing.T) {
	ran := false
	p := &Part{}
	p.Own = func(ctx context.Context) { ran = ctx == t.Context(); p.Count() }
	p.Run(t.Context())
	if !ran || p.Pulse() != 1 {
		t.Errorf("ran %v, %d turns", ran, p.Pulse())
	}
}

// TestPrompt: who prompts a part that runs and rests has its turn itself; else the part is rung.
func TestPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns, portions atomic.Int64
		var next atomic.Pointer[time.Time]
		var more atomic.Bool
		inTurn := make(chan func())
		next.Store(new(time.Time))
		more.Store(true)
		p := &Part{Bell: NewBell()}
		p.Turn = func() time.Time {
			turns.Add(1)
			select {
			case f := <-inTurn:
				f()
			default:
			}
			return *next.Load()
		}
		p.Portion = func() (time.Time, bool) { portions.Add(1); return *next.Load(), more.Load() }
		want := func(t0, p0 int64, why string) {
			t.Helper()
			if synctest.Wait(); turns.Load() != t0 || portions.Load() != p0 || p.turns.Load() != uint64(t0+p0) {
				t.Fatalf("%s: %d turns and %d portions, want %d and %d", why, turns.Load(), portions.Load(), t0, p0)
			}
		}
		p.Prompt()
		want(0, 0, "before it runs")
		end := run(t, p)
		want(2, 0, "at once, and because it was rung")
		p.Prompt()
		if portions.Load() != 1 {
			t.Error("the caller did not have a portion itself")
		}
		want(3, 1, "what the portion left")
		more.Store(false)
		soon := time.Now().Add(time.Minute)
		next.Store(&soon)
		p.Prompt()
		next.Store(new(time.Time))
		want(3, 2, "a portion that leaves nothing")
		time.Sleep(time.Minute)
		want(4, 2, "the time that the portion returned")

		hold := make(chan struct{})
		go func() { inTurn <- func() { p.Prompt(); <-hold } }() // as a part that it prompts does
		time.Sleep(time.Second)
		p.Bell.Ring()
		synctest.Wait()
		p.Prompt() // another has the turn
		close(hold)
		want(6, 2, "prompted in a turn, by itself and by another")

		slow := make(chan struct{})
		p.Portion = func() (time.Time, bool) { portions.Add(1); <-slow; return time.Time{}, false }
		go p.Prompt()
		synctest.Wait()
		p.Bell.Ring() // Run cannot have the turn that it is asked for
		synctest.Wait()
		if turns.Load() != 6 {
			t.Error("a turn while a portion goes on")
		}
		ended := make(chan struct{})
		go func() { end(); close(ended) }()
		synctest.Wait()
		select {
		case <-ended:
			t.Error("it ended within a portion")
		default:
		}
		close(slow)
		<-ended
		p.Prompt()
		if portions.Load() != 3 {
			t.Error("a portion after the end")
		}
	})
}

// TestPromptLeavesWhatIsDue: between the ring and the turn of a part that waits for more, who prompts does not
// have the turn.
func TestPromptLeavesWhatIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns, portions atomic.Int64
		p := &Part{
			Bell:    NewBell(),
			Turn:    func() time.Time { turns.Add(1); return time.Time{} },
			Portion: func() (time.Time, bool) { portions.Add(1); return time.Time{}, false },
			After:   func() time.Duration { return time.Second },
		}
		defer run(t, p)()
		synctest.Wait()
		p.Bell.Ring()
		synctest.Wait() // Run has the token, and waits
		p.Prompt()
		if portions.Load() != 0 || turns.Load() != 1 {
			t.Errorf("%d portions, %d turns before the delay, want 0, 1", portions.Load(), turns.Load())
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		p.Prompt()
		if portions.Load() != 1 {
			t.Error("at rest, the caller did not have a portion")
		}
	})
}

// BenchmarkPrompt is what a turn costs that the caller has.
func BenchmarkPrompt(b *testing.B) {
	ctx, stop := context.WithCancel(b.Context())
	p := &Part{Bell: NewBell(), Turn: func() time.Time { return time.Time{} }}
	ended := make(chan struct{})
	go func() { p.Run(ctx); close(ended) }()
	for p.turns.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Prompt()
	}
	stop()
	<-ended
}
