package shares

import (
	"sync"
	"time"
)

// Shares are the turns of all tenants of an instance. Any goroutine calls its methods, and those of accounts.
type Shares struct {
	now func() time.Duration

	mu    sync.Mutex // guards what follows
	core  core
	alarm alarm
	ended bool
}

// New returns shares of so many places: how many turns there may be at once. Now is the time since any instant.
func New(places int, now func() time.Duration) *Shares {
	s := &Shares{now: now, core: newCore(places)}
	s.alarm.call = s.expire
	return s
}

// Close ends what Shares has of the system. Who wants turns afterwards has them at once.
func (s *Shares) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.core.places, s.core.rest = true, 1<<30, 0
	s.give(s.now())
	s.alarm.stop()
}

// Account is a tenant's. It takes nothing but memory while the tenant does nothing.
type Account struct {
	s  *Shares
	of account
}

// Account returns a new one.
func (s *Shares) Account() *Account {
	return &Account{s: s, of: account{ended: never}}
}

// Close forgets the account. Its turns go on, until they end.
func (a *Account) Close() {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.core.close(&a.of)
}

// State is what an account has used, and how it has waited.
type State struct {
	Used   time.Duration // in turns, or charged
	Waits  uint64        // turns that did not begin at once
	Waited time.Duration // what they waited
}

// State returns that of the account.
func (a *Account) State() State {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	return a.of.state
}

// Charge takes time from the account that was used for the tenant elsewhere.
func (a *Account) Charge(used time.Duration) {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.core.charge(&a.of, used)
}

// Turn is what a goroutine has turns of, one after the other.
type Turn struct {
	s       *Shares
	of      turn
	checked uint8 // calls of Over
}

// Turn returns a new one of the account.
func (a *Account) Turn() *Turn { return &Turn{s: a.s, of: turn{of: &a.of}} }

// Begin begins a turn, for which it waits until it is given or stop is closed: false, then there is none.
func (t *Turn) Begin(stop <-chan struct{}) bool {
	t.s.mu.Lock()
	return t.begin(stop, t.s.now())
}

// Next is End, and Begin, with nobody else's turn between that would not come before this one.
func (t *Turn) Next(stop <-chan struct{}) bool {
	t.s.mu.Lock()
	now := t.s.now()
	if t.of.has {
		t.s.core.leave(&t.of, now)
	}
	return t.begin(stop, now)
}

// begin is Begin with the lock held, which it lets go.
func (t *Turn) begin(stop <-chan struct{}, now time.Duration) bool {
	s := t.s
	if s.core.enter(&t.of, now) {
		s.mu.Unlock()
		return true
	}
	if t.of.granted == nil {
		t.of.granted = make(chan struct{}, 1)
	}
	s.give(now)
	s.mu.Unlock()
	select {
	case <-t.of.granted:
		return true
	default:
	}
	select {
	case <-t.of.granted:
		return true
	case <-stop:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now = s.now()
	if t.of.has {
		<-t.of.granted
	}
	s.core.cancel(&t.of, now)
	s.give(now)
	return false
}

// overEvery is how many calls of Over there are to a look at the clock.
const overEvery = 8

// Over reports whether the turn has taken all that it may, and others may want one: Next or End is due.
func (t *Turn) Over() bool {
	if t.checked++; t.checked%overEvery != 0 {
		return false
	}
	now := t.s.now()
	if now-t.of.began < t.of.allotted {
		return false
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return !t.of.has || !t.s.core.renew(&t.of, now)
}

// End ends the turn, if it has been begun.
func (t *Turn) End() {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if !t.of.has {
		return
	}
	now := s.now()
	s.core.leave(&t.of, now)
	s.give(now)
}

// give gives turns, and has it called again. The lock is held.
func (s *Shares) give(now time.Duration) {
	first, again := s.core.give(now)
	for t := first; t != nil; {
		next := t.next
		t.next = nil
		t.granted <- struct{}{} // there is room: it had none before
		t = next
	}
	if again > 0 && !s.ended {
		s.alarm.set(again, now)
	}
}

// expire is called by the alarm.
func (s *Shares) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alarm.at = 0
	s.give(s.now())
}
