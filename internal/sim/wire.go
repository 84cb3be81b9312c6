package sim

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// wire is one connection between a switch and an instance.
type wire struct {
	w       *world
	id      int
	sw      int // index
	machine *machine
	ends    [2]*end
	random  *rand.Rand
	run     *instanceRun // that serves it
	silent  bool         // nothing passes any more, and nobody is told
}

// The ends of a wire.
const (
	atSwitch = iota
	atInstance
)

// How long bytes take, one way, without faults: mostly the first, now and then up to the second.
const (
	bytesTake    = 300 * time.Microsecond
	bytesTakeMax = 20 * time.Millisecond
	window       = 256 << 10 // bytes that are on their way or not read, one way
)

// end is one end: the net.Conn of a session.
type end struct {
	wire    *wire
	which   int
	session *session.Stepper
	peer    *end

	last    time.Time // arrival of the latest chunk
	flying  int       // bytes on their way here, or not read yet
	came    []byte    // not read yet
	opened  bool      // the session has begun
	reading bool      // a read is in the queue
	waking  bool      // a wake is
	blocked bool      // the peer has more, and no room
	kept    bool      // the session has more, and may not write yet
	fin     bool      // nothing more will come
	closed  bool      // by its session
	stalled bool      // does not read
	slow    time.Duration
	rest    []byte // of a message, for the trace
	said    []byte // of a message, for the referee
}

// address is what a connection calls itself.
type address struct{ end *end }

// Network implements net.Addr.
func (a address) Network() string { return "sim" }

// String implements net.Addr.
func (a address) String() string { return a.end.name() }

func (e *end) name() string {
	return [...]string{"switch ", "instance of "}[e.which] + e.wire.w.net.Switches()[e.wire.sw].Name()
}

// take draws how long bytes take.
func (c *wire) take() time.Duration {
	d := time.Duration(c.random.Int64N(int64(bytesTake)))
	if c.random.IntN(50) == 0 {
		d += time.Duration(c.random.Int64N(int64(bytesTakeMax)))
	}
	return d
}

// start takes the session that lives on this end.
func (e *end) start(s *session.Stepper) {
	e.session = s
	e.wire.w.After(e.wire.take(), func() {
		e.running(func() {
			s.Open()
			e.opened = true
			e.wake(0)
		})
	})
}

// running does something with the session, if it has not ended, and when the process of an instance
// runs.
func (e *end) running(do func()) {
	w := e.wire.w
	switch {
	case e.session == nil || e.session.Ended():
	case e.which == atInstance && e.wire.machine.isPaused():
		w.at(e.wire.machine.paused, func() { e.running(do) })
	default:
		do()
	}
}

// TryWrite sends what there is room for.
func (e *end) TryWrite(p []byte) (int, error) {
	if e.closed {
		return 0, net.ErrClosed
	}
	if e.which == atInstance && !e.wire.machine.mayWrite() {
		e.kept = true
		return 0, nil
	}
	to := e.peer
	n := min(len(p), max(window-to.flying, 0))
	to.blocked = to.blocked || n < len(p)
	if n == 0 {
		return 0, nil
	}
	to.flying += n
	if e.which == atSwitch {
		e.wire.w.streams.detoured(p[:n])
		if r := e.wire.w.referee; r != nil {
			r.says(e, p[:n])
		}
	}
	if !e.wire.silent {
		chunk := append([]byte(nil), p[:n]...)
		e.wire.w.at(to.arrival(), func() { to.arrive(chunk) })
	}
	return n, nil
}

// Write is of net.Conn. Nobody waits here.
func (e *end) Write(p []byte) (int, error) { return e.TryWrite(p) }

// arrival is when what is sent now arrives: after all that was sent before.
func (e *end) arrival() time.Time {
	e.last = later(e.last, e.wire.w.now.Add(e.wire.take()+e.slow))
	return e.last
}

func (e *end) arrive(chunk []byte) {
	if e.wire.silent {
		return
	}
	e.came = append(e.came, chunk...)
	e.wake(0)
}

// wake has the session read what came, after a time.
func (e *end) wake(after time.Duration) {
	if e.reading || e.stalled || !e.opened {
		return
	}
	e.reading = true
	e.wire.w.After(after, func() { e.running(e.read) })
}

// read hands over what came, in pieces as they come: sometimes a part.
func (e *end) read() {
	e.reading = false
	if e.stalled {
		return
	}
	if len(e.came) == 0 {
		if e.fin {
			e.session.Lost(io.EOF)
		}
		return
	}
	n := len(e.came)
	if e.wire.random.IntN(16) == 0 {
		n = 1 + e.wire.random.IntN(n)
	}
	if e.which == atSwitch {
		e.wire.w.wires.reading = e
	}
	n = e.session.Deliver(e.came[:n])
	e.wire.w.wires.reading = nil
	e.wire.w.note(byte(e.which), e.wire.id, e.came[:n])
	e.show(e.came[:n])
	e.came = append(e.came[:0], e.came[n:]...)
	e.flying -= n
	if e.blocked {
		e.blocked = false
		e.wire.w.After(e.wire.take(), func() { e.peer.running(e.peer.session.Drain) })
	}
	if len(e.came) > 0 || e.fin {
		after, _ := e.session.Paused()
		e.wake(after)
	}
}

// show shows messages to who follows the run.
func (e *end) show(b []byte) {
	w := e.wire.w
	if w.trace == nil {
		return
	}
	e.rest = append(e.rest, b...)
	for len(e.rest) >= openflow.HeaderLen {
		n := int(e.rest[2])<<8 | int(e.rest[3])
		if n < openflow.HeaderLen || n > len(e.rest) {
			break
		}
		if h, m, err := openflow.Parse(append([]byte(nil), e.rest[:n]...)); err != nil {
			w.say("%s hears %v", e.name(), err)
		} else {
			w.say("%s hears %s", e.name(), openflow.Text(h, m))
		}
		e.rest = e.rest[n:]
	}
}

// Close ends the connection: the peer reads what is on its way, and then the end.
func (e *end) Close() error {
	if e.closed {
		return nil
	}
	e.closed = true
	w := e.wire.w
	if s := e.session; s != nil {
		w.After(0, func() { e.running(func() { s.Lost(net.ErrClosed) }) }) // if it was not the session that closed it
	}
	to := e.peer
	if !e.wire.silent {
		w.at(to.arrival(), func() {
			to.fin = true
			to.wake(0)
		})
	}
	return nil
}

// errReset ends both ends of a connection that was cut.
var errReset = errors.New("connection reset")

// cut breaks the connection. What is on its way is lost; with told, both ends notice, each in its
// time.
func (c *wire) cut(told bool) {
	c.silent = true
	for _, e := range c.ends {
		if told && e.session != nil {
			c.w.After(c.take(), func() { e.running(func() { e.session.Lost(errReset) }) })
		}
	}
}

// over reports whether both sessions have ended, or there is nothing left that could end them.
func (c *wire) over() bool {
	return (c.ends[0].session == nil || c.ends[0].session.Ended()) && (c.ends[1].session == nil || c.ends[1].session.Ended())
}

// SetReadDeadline with a time in the past wakes the session.
func (e *end) SetReadDeadline(t time.Time) error {
	if t.IsZero() || t.After(e.wire.w.now) || e.waking {
		return nil
	}
	e.waking = true
	e.wire.w.After(0, func() {
		e.waking = false
		if e.session != nil {
			e.running(e.session.Wake)
		}
	})
	return nil
}

// Read is of net.Conn. Nobody reads from here: bytes are handed over.
func (e *end) Read([]byte) (int, error)         { return 0, io.EOF }
func (e *end) LocalAddr() net.Addr              { return address{e} }
func (e *end) RemoteAddr() net.Addr             { return address{e.peer} }
func (e *end) SetDeadline(time.Time) error      { return nil }
func (e *end) SetWriteDeadline(time.Time) error { return nil }

var _ net.Conn = (*end)(nil)
