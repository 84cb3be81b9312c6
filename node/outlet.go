package node

import (
	"sync"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// outlet is app/forward's way to one switch. It gathers what the application appends, so that what belongs together
// leaves in one write, until Flush or Barrier hands it to the session's queue.
type outlet struct {
	s *session.Session
	v openflow.Version

	mu  sync.Mutex
	buf []byte
}

// outletKeep is how large an empty buffer may stay, in bytes.
const outletKeep = 64 << 10

// outletMax is how much is gathered before it is handed over unasked, in bytes.
const outletMax = 256 << 10

func newOutlet(s *session.Session) *outlet { return &outlet{s: s, v: s.Version()} }

// FlowMod appends a flow-mod.
func (o *outlet) FlowMod(m *openflow.FlowMod) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	b, err := openflow.Append(o.buf, o.v, o.s.NextXID(), m)
	return o.appended(b, err)
}

// PacketOut appends a packet-out.
func (o *outlet) PacketOut(m *openflow.PacketOut) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	b, err := openflow.Append(o.buf, o.v, o.s.NextXID(), m)
	return o.appended(b, err)
}

// appended keeps what was encoded; o.mu is held.
func (o *outlet) appended(b []byte, err error) error {
	if err != nil {
		return err
	}
	o.buf = b
	if len(b) > outletMax {
		return o.hand()
	}
	return nil
}

// hand gives the session what was gathered; o.mu is held. What does not fit is lost, and the error says so.
func (o *outlet) hand() error {
	if len(o.buf) == 0 {
		return nil
	}
	err := o.s.SendBytes(o.buf)
	if o.buf = o.buf[:0]; cap(o.buf) > outletKeep {
		o.buf = nil
	}
	return err
}

// Barrier asks for what was appended before it to be confirmed.
func (o *outlet) Barrier(done func(error)) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.hand(); err != nil {
		return err
	}
	return o.s.Barrier(done)
}

// Flush hands over what was appended.
func (o *outlet) Flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.hand(); err != nil {
		lost.Add(1)
	}
}
