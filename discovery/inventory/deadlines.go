package inventory

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/timerq"
)

// Deadlines are when a sub-state acts on what, the earliest first. Of equal ones, over all queues,
// the one that was added first comes first.
type Deadlines[T any] struct {
	*Transaction
	queue timerq.Queue[time.Duration, due[T]] // by the time since the core's start
	act   func(T)
}

// due is what to act on.
type due[T any] struct {
	order uint64 // of adding, over all queues
	what  T
}

// Deadline is a port or a switch, and the time of the state that is to be found: if that has
// changed there is nothing to do.
type Deadline struct {
	At    netview.Point
	Since time.Time
}

// Task is a queue of deadlines, with what is done at them.
type Task interface {
	next() (at time.Duration, order uint64, ok bool)
	run()
}

// On sets what is done at the deadlines.
func (d *Deadlines[T]) On(t *Transaction, act func(T)) Task {
	d.Transaction, d.act = t, act
	return d
}

// Add adds a deadline.
func (d *Deadlines[T]) Add(at time.Time, what T) {
	d.order++
	d.queue.Add(at.Sub(d.Started), due[T]{d.order, what})
}

// Len returns how many deadlines there are.
func (d *Deadlines[T]) Len() int { return d.queue.Len() }

// next implements Task.
func (d *Deadlines[T]) next() (at time.Duration, order uint64, ok bool) {
	at, first, ok := d.queue.First()
	return at, first.order, ok
}

// run implements Task.
func (d *Deadlines[T]) run() { d.act(d.queue.Pop().what) }

// Schedule is all that is done at some time.
type Schedule struct {
	*Transaction
	tasks []Task
}

// NewSchedule returns an empty schedule.
func NewSchedule(t *Transaction) *Schedule { return &Schedule{Transaction: t} }

// Add adds queues to it.
func (s *Schedule) Add(tasks ...Task) { s.tasks = append(s.tasks, tasks...) }

// Run does what is due, the earliest first.
func (s *Schedule) Run() {
	for t, at := s.earliest(); t != nil && at <= s.SinceStart(); t, at = s.earliest() {
		t.run()
	}
}

// Next returns when run is to be called; false if never.
func (s *Schedule) Next() (time.Time, bool) {
	t, at := s.earliest()
	if t == nil {
		return time.Time{}, false
	}
	return s.Started.Add(at), true
}

func (s *Schedule) earliest() (first Task, at time.Duration) {
	var order uint64
	for _, t := range s.tasks {
		if next, nth, ok := t.next(); ok && (first == nil || next < at || next == at && nth < order) {
			first, at, order = t, next, nth
		}
	}
	return first, at
}
