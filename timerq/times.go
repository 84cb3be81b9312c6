package timerq

import "time"

// Times is a Queue by the times of a clock. The zero Times is empty. Times are kept as differences
// from the first one, so that a clock that is set does not move them, and must be within 292 years
// of it.
type Times[T any] struct {
	queue Queue[time.Duration, T]
	base  time.Time
}

// Add adds a value.
func (t *Times[T]) Add(at time.Time, value T) {
	if t.base.IsZero() {
		t.base = at
	}
	t.queue.Add(at.Sub(t.base), value)
}

// Len is the number of values.
func (t *Times[T]) Len() int { return t.queue.Len() }

// Next is the earliest time; zero if there is none.
func (t *Times[T]) Next() time.Time {
	at, _, ok := t.queue.First()
	if !ok {
		return time.Time{}
	}
	return t.base.Add(at)
}

// First returns the earliest time and its value; ok is false if there is none.
func (t *Times[T]) First() (at time.Time, value T, ok bool) {
	_, value, ok = t.queue.First()
	return t.Next(), value, ok
}

// Due removes the earliest value if its time has come.
func (t *Times[T]) Due(now time.Time) (value T, ok bool) { return t.queue.Due(now.Sub(t.base)) }

// Pop removes the earliest value, of which there must be one.
func (t *Times[T]) Pop() T { return t.queue.Pop() }
