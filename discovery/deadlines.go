package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/timerq"
)

// deadlines are when a sub-state acts on what, the earliest first. Of equal ones, over all queues,
// the one that was added first comes first.
type deadlines[T any] struct {
	*transaction
	queue timerq.Queue[time.Duration, due[T]] // by the time since the core's start
	act   func(T)
}

// due is what to act on.
type due[T any] struct {
	order uint64 // of adding, over all queues
	what  T
}

// deadline is a port or a switch, and the time of the state that is to be found: if that has
// changed there is nothing to do.
type deadline struct {
	at    netview.Point
	since time.Time
}

// task is a queue of deadlines, with what is done at them.
type task interface {
	next() (at time.Duration, order uint64, ok bool)
	run()
}

// does sets what is done at the deadlines.
func (d *deadlines[T]) does(t *transaction, act func(T)) task {
	d.transaction, d.act = t, act
	return d
}

func (d *deadlines[T]) add(at time.Time, what T) {
	d.order++
	d.queue.Add(at.Sub(d.started), due[T]{d.order, what})
}

// next implements task.
func (d *deadlines[T]) next() (at time.Duration, order uint64, ok bool) {
	at, first, ok := d.queue.First()
	return at, first.order, ok
}

// run implements task.
func (d *deadlines[T]) run() { d.act(d.queue.Pop().what) }

// newTasks returns all that is done at some time.
func (c *Core) newTasks() []task {
	t := c.transaction
	return []task{
		c.prober.fastStarts.does(t, c.prober.dueFastStart),
		c.prober.rounds.does(t, c.dueRound),
		c.prober.suspects.does(t, c.prober.dueSuspect),
		c.classifier.ends.does(t, c.classifyPort),
		c.settling.ends.does(t, c.dueSettled),
		c.links.down.does(t, c.links.purge),
		c.blocks.does(t, c.dueUnblock),
		c.queries.tries.does(t, c.dueQuery),
		c.occupancy.ends.does(t, c.duePortQuery),
		c.claims.ends.does(t, c.claims.release),
		c.hijacks.does(t, c.dueHijack),
		c.strangers.ends.does(t, c.dueStranger),
		c.sweeper.at.does(t, c.sweep),
	}
}

// Tick does what is due, the earliest first.
func (c *Core) Tick() {
	for _, h := range c.sweeper.takeUnused() {
		c.expireHost(h)
	}
	for t, at := c.earliest(); t != nil && at <= c.sinceStart(); t, at = c.earliest() {
		t.run()
	}
}

// Next returns when Tick is due; false if never.
func (c *Core) Next() (time.Time, bool) {
	if len(c.sweeper.unused) > 0 {
		return c.now, true
	}
	t, at := c.earliest()
	if t == nil {
		return time.Time{}, false
	}
	return c.started.Add(at), true
}

func (c *Core) earliest() (first task, at time.Duration) {
	var order uint64
	for _, t := range c.tasks {
		if next, nth, ok := t.next(); ok && (first == nil || next < at || next == at && nth < order) {
			first, at, order = t, next, nth
		}
	}
	return first, at
}
