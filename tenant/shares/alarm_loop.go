package shares

import "time"

// alarm calls a function at a time, within microseconds where the system has timers for that: those of Go's runtime are up to a
// millisecond late where nothing else happens, and then go off together with what happens next, which is what is not to wait.
// The lock of Shares guards it. It has a goroutine only while it is set.
type alarm struct {
	call  func()
	at    time.Duration // when it goes off; 0: it does not
	clock *clockFile    // nil: it has not been needed yet, or the system has none
	slow  *time.Timer   // where the system has none
}

// set has the function be called at a time, and not at a later one that was set before.
func (a *alarm) set(at, now time.Duration) {
	if a.at > 0 && a.at <= at {
		return
	}
	was := a.at
	a.at = at
	if a.clock == nil && a.slow == nil {
		a.clock = openClock()
	}
	switch {
	case a.clock != nil && a.clock.set(at-now) == nil:
		if was == 0 {
			go a.clock.ring(a.call)
		}
	case a.slow == nil:
		a.slow = time.AfterFunc(at-now, a.call)
	default:
		a.slow.Reset(at - now)
	}
}

// ring calls when the time has come.
func (c *clockFile) ring(call func()) {
	var b [8]byte
	if c.wait(&b) == nil {
		call()
	}
}

// stop ends it.
func (a *alarm) stop() {
	if a.clock != nil {
		a.clock.close()
	}
	if a.slow != nil {
		a.slow.Stop()
	}
}
