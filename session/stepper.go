package session

import (
	"net"
	"time"
)

// Driver is the clock and the scheduler of a Server's or Dialer's sessions, in place of the
// goroutines of loop.go: for simulations, where one goroutine steps everything and sets the time.
// All is called from that goroutine.
//
// The connections that it gives to ServeConn are written by TryWrite, which must take what it does
// not refuse and must not call back; they are never read. SetReadDeadline with a time in the past
// asks for a call of Stepper.Wake.
type Driver interface {
	// Now is the time.
	Now() time.Time
	// Start is called once for each new session. The driver calls Open next, in an event of its
	// own.
	Start(s *Stepper)
}

// Stepper is the reader of a session that has no goroutine. Each of its methods does what the
// reader does between two reads, and the session may have ended when it returns.
type Stepper struct {
	r     *reader
	ended bool
}

// Conn is the connection of the session.
func (p *Stepper) Conn() net.Conn { return p.r.s.conn }

// Ended reports whether the session has ended: nothing more is to be called.
func (p *Stepper) Ended() bool { return p.ended }

// Open begins the session.
func (p *Stepper) Open() {
	if !p.ended {
		p.r.open(p.r.s.group.now())
		p.after()
	}
}

// Deliver hands over what was read, as much of it as the session takes at a time, and returns how
// much that was.
func (p *Stepper) Deliver(b []byte) int {
	if p.ended {
		return len(b)
	}
	n := copy(p.r.room(), b)
	p.r.batch(n)
	p.after()
	return n
}

// Paused reports whether the session wants to be read no more for a time, because too much waits
// for its peer; and for how long.
func (p *Stepper) Paused() (time.Duration, bool) {
	return pauseLimit, !p.ended && p.r.paused()
}

// Due reports whether a deadline of the session has passed: Wake is to be called then. The
// session's goroutines would look every TickInterval.
func (p *Stepper) Due() bool {
	d, g := p.r.s.protocol.deadline.Load(), p.r.s.group
	return !p.ended && d != 0 && d <= int64(g.now().Sub(g.epoch))
}

// TickInterval is how often deadlines are checked.
const TickInterval = tickInterval

// Wake acts on what is due, and ends the session if it is closing.
func (p *Stepper) Wake() {
	if p.ended {
		return
	}
	if reason := p.r.s.prompts.ending(); reason != nil {
		p.finish(reason, true)
		return
	}
	p.r.onDeadline()
	p.after()
}

// Drain goes on writing, after the connection has taken less than all and has room again.
func (p *Stepper) Drain() {
	if !p.ended {
		p.r.s.out.goOn()
	}
}

// Lost ends the session because its connection has.
func (p *Stepper) Lost(err error) { p.finish(err, false) }

// after ends the session if its core wants that.
func (p *Stepper) after() {
	if reason := p.r.core.out.reason; reason != nil {
		p.finish(reason, true)
	}
}

func (p *Stepper) finish(reason error, ours bool) {
	if !p.ended {
		p.ended = true
		p.r.finish(reason, ours)
	}
}
