package shares

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// clock is the time since the test began.
func clock() func() time.Duration {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}

// TestNobodyWaitsForEver: whoever asks for turns gets as many as it wants, sparse or not, while others are stopped as they wait;
// then nothing is left of them.
func TestNobodyWaitsForEver(t *testing.T) {
	s := New(2, clock())
	var all sync.WaitGroup
	for i := range 6 {
		a := s.Account()
		for range 2 {
			turn, r := a.Turn(), rand.New(rand.NewPCG(uint64(i), 5))
			all.Go(func() {
				for range 300 {
					if !turn.Begin(nil) {
						t.Error("no turn, and nobody has stopped it")
						return
					}
					if i > 3 { // one that comes now and then
						turn.End()
						time.Sleep(time.Duration(r.IntN(200)) * time.Microsecond)
						continue
					}
					for !turn.Over() && r.IntN(1000) != 0 {
					}
					turn.End()
				}
			})
			stopped := a.Turn()
			all.Go(func() {
				for range 100 {
					stop := make(chan struct{})
					go close(stop)
					if stopped.Begin(stop) {
						stopped.End()
					} else {
						stopped.End() // does nothing
					}
				}
			})
		}
	}
	all.Wait()
	if c := &s.core; c.running != 0 || c.waiting != 0 || c.busy != 0 {
		t.Errorf("after all have ended %d have turns, %d of them late, and %d wait", c.running, c.busy, c.waiting)
	}
}

// TestStop: who waits for a turn that does not come gives up when it is stopped, and whoever waits behind it is served.
func TestStop(t *testing.T) {
	s := New(1, clock())
	holds, waits, behind := s.Account().Turn(), s.Account().Turn(), s.Account().Turn()
	holds.Begin(nil)
	stop := make(chan struct{})
	ended, served := make(chan bool), make(chan bool)
	go func() { ended <- waits.Begin(stop) }()
	go func() { served <- behind.Begin(nil) }()
	for {
		s.mu.Lock()
		n := 0
		for x := s.core.queue.first; x != nil; x = x.next {
			n++
		}
		s.mu.Unlock()
		if n == 2 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	close(stop)
	if <-ended {
		t.Error("it has a turn beside the one that has the place")
	}
	holds.End()
	if !<-served {
		t.Error("who waits behind it has no turn")
	}
	behind.End()
}

// TestTurnsBudget: a turn takes no memory.
func TestTurnsBudget(t *testing.T) {
	s := New(2, clock())
	a, b := s.Account().Turn(), s.Account().Turn()
	need.NoRace(t)
	if n := testing.AllocsPerRun(1000, func() {
		a.Begin(nil)
		b.Begin(nil)
		for range 2 * overEvery {
			a.Over()
		}
		a.End()
		b.End()
	}); n != 0 {
		t.Errorf("two turns make %v allocations", n)
	}
}

// BenchmarkTurn is a turn in which nothing is done.
func BenchmarkTurn(b *testing.B) {
	turn := New(2, clock()).Account().Turn()
	for b.Loop() {
		turn.Begin(nil)
		turn.Over()
		turn.End()
	}
}

// TestAlarm: it goes off once, at the earlier of two times, with a clock of the system's and without.
func TestAlarm(t *testing.T) {
	for _, without := range []bool{false, true} {
		rung := make(chan struct{}, 9)
		a := alarm{call: func() { rung <- struct{}{} }}
		if without {
			a.slow = time.AfterFunc(time.Hour, a.call)
		}
		a.set(time.Hour, 0)
		a.set(time.Millisecond, 0)
		a.set(time.Minute, 0) // it is called before, and will be told what is next then
		<-rung
		time.Sleep(5 * time.Millisecond)
		if len(rung) > 0 {
			t.Error("it has gone off twice")
		}
		a.stop()
	}
}
