package host

import (
	"time"

	"github.com/weirnet/weir/timerq"
)

// waker is what has a timer.
type waker interface {
	// wake is called when the timer is due; it is no longer set then.
	wake(h *Host, now time.Duration, out Output)
}

// timer is one place in a host's queue of times. It is part of its owner.
type timer struct {
	at    time.Duration
	place int // in the queue; 0: not set
	owner waker
}

// timers are a host's, the earliest first.
type timers struct {
	timerq.Queue[time.Duration, *timer]
}

func newTimers() timers {
	return timers{timerq.New[time.Duration](func(t *timer, place int) { t.place = place })}
}

// set makes t due at a time, in place of the one it had.
func (q *timers) set(t *timer, owner waker, at time.Duration) {
	t.owner, t.at = owner, at
	q.Set(t.place, at, t)
}

// stop removes t, if it is set.
func (q *timers) stop(t *timer) { q.Remove(t.place) }
