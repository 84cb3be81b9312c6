package shares

import "time"

const (
	// quantum is what a busy account gets in a round, and the longest turn but for a single message that takes longer.
	quantum = 100 * time.Microsecond
	// sparsePart is which part of one processor a sparse account may use, beside a quantum at once.
	sparsePart = 8
	// sparseGap is for how long an account wants nothing that keeps up with what it is sent.
	sparseGap = quantum
	// forgiven is for how long an account wants nothing whose debt is not looked at any more.
	forgiven = time.Second
	// roomFor is for how long after a turn of a sparse account room is left.
	roomFor = 20 * time.Millisecond
	// restFactor is how many times as long as a turn of a busy account nothing happens after it while room is left.
	restFactor = 2
)

// never is a time that is long ago.
const never = -time.Hour

// core decides whose turn it is. One goroutine at a time uses it.
type core struct {
	places  int // how many turns there may be at once
	running int
	busy    int // of running: those of busy accounts

	queue   queue    // turns of sparse accounts, which wait for a place
	ring    *account // busy accounts: the one whose round it is; nil: there is none
	waiting int      // their turns that wait

	sparse time.Duration // when a sparse account had a turn last
	who    *account      // that it was
	rest   time.Duration // no turn of a busy account begins before, while room is left
}

func newCore(places int) core { return core{places: places, sparse: never} }

// account is what the core knows of a tenant.
type account struct {
	busy    bool
	gone    bool          // closed
	recent  time.Duration // that was used, less a part of the time in which it wanted nothing
	ended   time.Duration // when it began to want nothing
	wants   int           // turns that wait or are being had
	running int
	state   State

	// Of a busy one.
	next, prev *account      // in the ring
	queue      queue         // its turns that wait
	left       time.Duration // of what rounds gave, without what turns have been allotted; below 0: its debt
}

// turn is one that waits, or is being had.
type turn struct {
	of       *account
	next     *turn  // that waits behind it, or was given after it
	waits    *queue // where it waits; nil: it does not
	has      bool
	busy     bool          // its account was, when it was given
	began    time.Duration // when it was asked for, while it waits; then when it was given
	allotted time.Duration
	granted  chan struct{} // who waits gets it there; made for the first time that one does
}

// enter asks for a turn, and reports whether it begins at once. If not, give gives it.
func (c *core) enter(t *turn, now time.Duration) bool {
	a := t.of
	if a.wants++; a.wants == 1 {
		idle := now - a.ended
		a.recent = max(a.recent-idle/sparsePart, 0)
		if a.busy && idle >= sparseGap && a.recent <= quantum/2 && (a.left >= 0 || idle >= forgiven) {
			c.part(a)
		}
	}
	t.began = now
	if a.busy {
		a.queue.push(t)
		c.waiting++
		return false
	}
	if c.queue.first == nil && c.running < c.places {
		c.grant(t, now)
		return true
	}
	c.queue.push(t)
	return false
}

// leave ends a turn, which has been begun.
func (c *core) leave(t *turn, now time.Duration) {
	a, used := t.of, now-t.began
	t.has = false
	c.running--
	a.running--
	c.unwant(a, now)
	if t.busy {
		c.busy--
		a.left += t.allotted
		rest := now // what was used while no room was left for others owes them nothing
		if c.roomy(now) {
			rest = max(c.rest, now)
		}
		c.rest = rest + restFactor*used/time.Duration(c.lane())
	}
	c.charge(a, used)
}

// renew goes on with a turn that has taken all that it may, as if it had ended and another one had been given, if nobody waits
// and no room is left for anybody; else it reports false.
func (c *core) renew(t *turn, now time.Duration) bool {
	if c.queue.first != nil || c.waiting > 0 || c.roomy(now) {
		return false
	}
	c.leave(t, now)
	c.enter(t, now)
	c.give(now)
	return true
}

// unwant notes that an account wants a turn less.
func (c *core) unwant(a *account, now time.Duration) {
	if a.wants--; a.wants == 0 {
		a.ended = now
	}
	if a.wants == 0 && a.gone && a.busy {
		c.part(a)
	}
}

// charge takes what was used from an account.
func (c *core) charge(a *account, used time.Duration) {
	a.state.Used += used
	a.recent += used
	switch {
	case a.gone && a.wants == 0:
	case a.busy:
		a.left = min(a.left-used, 2*quantum)
	case a.recent > quantum:
		c.join(a, quantum-a.recent)
	}
	a.recent = min(a.recent, 2*quantum)
}

// close forgets an account when it wants nothing any more.
func (c *core) close(a *account) {
	a.gone = true
	if a.wants == 0 && a.busy {
		c.part(a)
	}
}

// cancel takes back a turn that was asked for, or has been given and not begun.
func (c *core) cancel(t *turn, now time.Duration) {
	switch {
	case t.has:
		t.began = now
		c.leave(t, now)
	case t.waits != nil:
		if t.waits != &c.queue {
			c.waiting--
		}
		t.waits.remove(t)
		c.unwant(t.of, now)
	}
}

// give gives turns to who waits, as far as there is room, and returns the first of those that it gave, and when to call it again
// if nothing happens before; 0: there is no need.
func (c *core) give(now time.Duration) (first *turn, again time.Duration) {
	end := &first
	for c.running < c.places {
		from := &c.queue
		if from.first == nil {
			if c.waiting == 0 || c.roomy(now) && c.busy >= c.lane() { // the end of one of them comes here
				break
			}
			if c.roomy(now) && now < c.rest {
				return first, min(c.rest, c.sparse+roomFor)
			}
			from = &c.round().queue
			c.waiting--
		}
		t := from.first
		from.remove(t)
		if wait := now - t.began; wait > 0 {
			t.of.state.Waits++
			t.of.state.Waited += wait
		}
		c.grant(t, now)
		*end, end = t, &t.next
	}
	return first, 0
}

// lane is how many turns of busy accounts there may be at once while room is left.
func (c *core) lane() int { return max(c.places/2, 1) }

// roomy reports whether room is left for sparse accounts. One that has become busy since is none any more.
func (c *core) roomy(now time.Duration) bool { return now-c.sparse < roomFor && !c.who.busy }

// grant gives a turn what is left for the account.
func (c *core) grant(t *turn, now time.Duration) {
	a := t.of
	t.has, t.busy, t.began = true, a.busy, now
	a.running++
	c.running++
	if !a.busy {
		c.sparse, c.who = now, a
		t.allotted = quantum - a.recent
		return
	}
	c.busy++
	t.allotted, a.left = max(a.left, 0), min(a.left, 0)
}

// ahead returns the first account that waits and has something left of what rounds gave it; nil: there is none.
func (c *core) ahead() *account {
	for a := c.ring; ; {
		if a.queue.first != nil && a.left > 0 {
			return a
		}
		if a = a.next; a == c.ring {
			return nil
		}
	}
}

// round goes on with the round, until it comes to an account that waits and has something left. One waits.
func (c *core) round() *account {
	if a := c.ahead(); a != nil {
		return a
	}
	least := time.Duration(1<<63 - 1) // debt of those that wait
	for a, begun := c.ring, c.ring; a.queue.first == nil || a.left <= 0; {
		if a.queue.first != nil {
			least = min(least, -a.left)
		}
		a = a.next
		if a.left += quantum; a.running == 0 { // else the turn's end takes what it takes
			a.left = min(a.left, quantum)
		}
		if c.ring = a; a == begun && least >= quantum {
			c.skip(least / quantum)
			least = 1<<63 - 1
		}
	}
	return c.ring
}

// skip gives those in debt what they would get in so many rounds in which nobody has a turn.
func (c *core) skip(rounds time.Duration) {
	for a := c.ring; ; {
		if a.left < 0 {
			a.left = min(a.left+rounds*quantum, 0)
		}
		if a = a.next; a == c.ring {
			return
		}
	}
}

// join makes an account a busy one, at the end of the present round.
func (c *core) join(a *account, left time.Duration) {
	a.busy, a.left = true, left
	if c.ring == nil {
		a.next, a.prev, c.ring = a, a, a
		return
	}
	a.next, a.prev = c.ring, c.ring.prev
	a.prev.next, a.next.prev = a, a
}

// part makes it a sparse one again.
func (c *core) part(a *account) {
	if c.ring == a {
		c.ring = a.next
	}
	if c.ring == a {
		c.ring = nil
	}
	a.prev.next, a.next.prev = a.next, a.prev
	a.busy, a.next, a.prev = false, nil, nil
}

// queue are turns that wait, in their order.
type queue struct{ first, last *turn }

func (q *queue) push(t *turn) {
	t.waits, t.next = q, nil
	if q.last == nil {
		q.first = t
	} else {
		q.last.next = t
	}
	q.last = t
}

func (q *queue) remove(t *turn) {
	before := (*turn)(nil)
	for x := q.first; x != t; x = x.next {
		before = x
	}
	if before == nil {
		q.first = t.next
	} else {
		before.next = t.next
	}
	if q.last == t {
		q.last = before
	}
	t.waits, t.next = nil, nil
}
