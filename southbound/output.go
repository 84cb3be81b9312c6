package southbound

import (
	"errors"
	"sync"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Output is the applications' output to one session of a switch. It collects what they append, so
// that messages that belong together leave in one write, until Flush or Barrier hands it to the
// session's queue.
type Output struct {
	s *session.Session
	v openflow.Version

	mu  sync.Mutex
	buf []byte

	sent sentRules
}

// outputKeep is how large an empty buffer may stay, in bytes.
const outputKeep = 64 << 10

// outputMax is how much is collected before it is handed over without a Flush, in bytes.
const outputMax = 256 << 10

// outputSpare is how much of a session's queue applications leave to others, in bytes.
const outputSpare = 512 << 10

func newOutput(s *session.Session) *Output { return &Output{s: s, v: s.Version()} }

// FlowMod appends a flow-mod; session.ErrFull refuses this one, and nothing that was appended
// before.
func (o *Output) FlowMod(m *openflow.FlowMod) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.full() {
		return session.ErrFull
	}
	xid := o.s.NextXID()
	b, err := openflow.Append(o.buf, o.v, xid, m)
	if err == nil && m.Command == openflow.FlowAdd {
		o.sent.record(xid, m)
	}
	return o.appended(b, err)
}

// PacketOut appends a packet-out, or refuses it, as FlowMod does.
func (o *Output) PacketOut(m *openflow.PacketOut) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.full() {
		return session.ErrFull
	}
	b, err := openflow.Append(o.buf, o.v, o.s.NextXID(), m)
	return o.appended(b, err)
}

// full reports whether a message would be too much for the session's queue; o.mu is held. What is
// left free is for those who fill the queue at the same time.
func (o *Output) full() bool {
	return o.s.Queue()+len(o.buf) > session.DefaultMaxQueue-outputSpare
}

// appended keeps what was encoded; o.mu is held.
func (o *Output) appended(b []byte, err error) error {
	if err != nil {
		return err
	}
	o.buf = b
	if len(b) > outputMax {
		_ = o.hand() // what does not fit now stays for the next try
	}
	return nil
}

// hand gives the session what was gathered; o.mu is held. What does not fit stays, and is tried
// again with the next Barrier or Flush; what is appended to a session that has ended is lost, as
// its barriers say.
func (o *Output) hand() error {
	if len(o.buf) == 0 {
		return nil
	}
	err := o.s.SendBytes(o.buf)
	if errors.Is(err, session.ErrFull) {
		return err
	}
	if o.buf = o.buf[:0]; cap(o.buf) > outputKeep {
		o.buf = nil
	}
	return err
}

// Barrier asks for what was appended before it to be confirmed.
func (o *Output) Barrier(done func(error)) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.hand(); err != nil {
		return err
	}
	last, ask := o.sent.due()
	if !ask {
		return o.s.Barrier(done)
	}
	err := o.s.Barrier(func(err error) {
		o.settled(last, err)
		done(err)
	})
	if err != nil {
		o.sent.asked = false
	}
	return err
}

// settled takes the end of a barrier behind the rules up to last.
func (o *Output) settled(last uint32, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent.asked = false
	if err == nil {
		o.sent.confirmed(last)
	}
}

// Flush hands over what was appended.
func (o *Output) Flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.hand() // an ended session is told to applications by SwitchDown
}

// rule finds the rule that an error refuses, by its transaction id.
func (o *Output) rule(xid uint32) (m openflow.Match, cookie uint64, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent.find(xid)
}
