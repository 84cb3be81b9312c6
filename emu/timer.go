package emu

import "time"

// timer is one time at which an engine has something to do for its owner. It belongs to the engine.
type timer struct {
	at    time.Duration
	seq   uint64 // of two at one time the one set first is due first
	pos   int    // in the heap, from 1; 0: not set
	owner waker
	exact bool // somebody was promised the time; it does not change while the timer is set
}

// waker is what has timers: a direction whose next frame arrives, a switch with entries that run out, a host.
type waker interface {
	wake(e *engine)
}

// timers are an engine's, in a heap ordered by (time, sequence).
type timers struct {
	heap  []*timer
	seq   uint64
	exact int // how many of them are exact
}

// next is when the first one is due.
func (q *timers) next() (time.Duration, bool) {
	if len(q.heap) == 0 {
		return 0, false
	}
	return q.heap[0].at, true
}

// set makes a timer due at a time, whenever it was due before.
func (q *timers) set(t *timer, at time.Duration) {
	q.seq++
	t.at, t.seq = at, q.seq
	if t.pos == 0 {
		q.heap = append(q.heap, t)
		t.pos = len(q.heap)
		if t.exact {
			q.exact++
		}
	}
	q.up(t.pos - 1)
	q.down(t.pos - 1)
}

// sooner makes a timer due at a time, unless it is due before.
func (q *timers) sooner(t *timer, at time.Duration) {
	if t.pos == 0 || at < t.at {
		q.set(t, at)
	}
}

// pop takes out the first one, of which there must be one.
func (q *timers) pop() *timer {
	t := q.heap[0]
	last := len(q.heap) - 1
	q.swap(0, last)
	q.heap[last] = nil
	q.heap = q.heap[:last]
	if last > 0 {
		q.down(0)
	}
	t.pos = 0
	if t.exact {
		q.exact--
	}
	return t
}

func (q *timers) less(i, j int) bool {
	a, b := q.heap[i], q.heap[j]
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

func (q *timers) swap(i, j int) {
	q.heap[i], q.heap[j] = q.heap[j], q.heap[i]
	q.heap[i].pos, q.heap[j].pos = i+1, j+1
}

func (q *timers) up(i int) {
	for i > 0 && q.less(i, (i-1)/2) {
		q.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (q *timers) down(i int) {
	for {
		least := 2*i + 1
		if least >= len(q.heap) {
			return
		}
		if least+1 < len(q.heap) && q.less(least+1, least) {
			least++
		}
		if !q.less(least, i) {
			return
		}
		q.swap(i, least)
		i = least
	}
}
