package emu

import (
	"time"

	"github.com/weirnet/weir/timerq"
)

// timer is one time at which an engine has something to do for its owner. It belongs to the engine.
type timer struct {
	at    time.Duration
	place int // in the queue; 0: not set
	owner waker
	exact bool // somebody was promised the time; it does not change while the timer is set
}

// waker is what has timers: a direction whose next frame arrives, a switch with entries that run
// out, a host.
type waker interface {
	wake(e *engine)
}

// timers are an engine's: the earliest first, of two at one time the one that was set first.
type timers struct {
	queue timerq.Queue[time.Duration, *timer]
	exact int // how many of them are exact
}

func newTimers() timers {
	return timers{queue: timerq.New[time.Duration](func(t *timer, place int) { t.place = place })}
}

// next is when the first one is due.
func (q *timers) next() (time.Duration, bool) {
	at, _, ok := q.queue.First()
	return at, ok
}

// set makes a timer due at a time, whenever it was due before.
func (q *timers) set(t *timer, at time.Duration) {
	if t.at = at; t.place == 0 && t.exact {
		q.exact++
	}
	q.queue.Set(t.place, at, t)
}

// sooner makes a timer due at a time, unless it is due before.
func (q *timers) sooner(t *timer, at time.Duration) {
	if t.place == 0 || at < t.at {
		q.set(t, at)
	}
}

// pop takes out the first one, of which there must be one.
func (q *timers) pop() *timer {
	t := q.queue.Pop()
	if t.exact {
		q.exact--
	}
	return t
}
