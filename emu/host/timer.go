package host

import (
	"time"

	"github.com/weirnet/weir/timerq"
)

// waker is the owner of a timer.
type waker interface {
	// wake is called when the timer is due and no longer set.
	wake(now time.Duration, out Output)
}

// timer is an entry of a host's timer queue. It is part of its owner.
type timer struct {
	at    time.Duration
	place int // in the queue; 0: not set
	owner waker
}

// timers is the timer queue of a host.
type timers struct {
	timerq.Queue[time.Duration, *timer]
}

func newTimers() timers {
	return timers{timerq.New[time.Duration](func(t *timer, place int) { t.place = place })}
}

// set sets t, or resets it, to a time.
func (q *timers) set(t *timer, owner waker, at time.Duration) {
	t.owner, t.at = owner, at
	q.Set(t.place, at, t)
}

// stop removes t, if it is set.
func (q *timers) stop(t *timer) { q.Remove(t.place) }
