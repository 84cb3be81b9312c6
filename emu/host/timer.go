package host

import (
	"container/heap"
	"time"
)

// waker is what has a timer.
type waker interface {
	// wake is called when the timer is due; it is no longer set then.
	wake(h *Host, now time.Duration, out Output)
}

// timer is one place in a host's queue of times. It is part of its owner.
type timer struct {
	at    time.Duration
	place int // in the queue, from 1; 0: not set
	owner waker
}

// timers is a heap, the earliest first.
type timers []*timer

// Len, Less, Swap, Push and Pop are heap.Interface.

func (q timers) Len() int           { return len(q) }
func (q timers) Less(i, j int) bool { return q[i].at < q[j].at }
func (q timers) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i+1, j+1
}

func (q *timers) Push(x any) {
	t := x.(*timer)
	*q = append(*q, t)
	t.place = len(*q)
}

func (q *timers) Pop() any {
	last := len(*q) - 1
	t := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	t.place = 0
	return t
}

// set makes t due at a time, in place of the one it had.
func (q *timers) set(t *timer, owner waker, at time.Duration) {
	t.owner, t.at = owner, at
	if t.place != 0 {
		heap.Fix(q, t.place-1)
		return
	}
	heap.Push(q, t)
}

// stop takes t out, if it is set.
func (q *timers) stop(t *timer) {
	if t.place != 0 {
		heap.Remove(q, t.place-1)
	}
}

// due takes out and returns the earliest timer that is due, or nil.
func (q *timers) due(now time.Duration) *timer {
	if len(*q) == 0 || (*q)[0].at > now {
		return nil
	}
	return heap.Pop(q).(*timer)
}
