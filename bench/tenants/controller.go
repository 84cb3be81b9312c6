package tenants

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// controller is that of a tenant: it takes what is for the load, and looks at nothing else.
type controller struct {
	load   *Load
	tenant *tenant
	answer *template // the packet-out that answers a packet-in; nil: none does
}

// inbox is what one session of a controller has read in a batch; of its reader.
type inbox struct {
	tokens  []uint32
	foreign int
	answers outlet // scratch
}

// Connected notes the session of a switch.
func (c *controller) Connected(s *session.Session) {
	s.SetValue(&inbox{answers: outlet{to: s}})
	t := c.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	i := s.Features().Datapath - 1
	if i >= uint64(len(t.controllers)) {
		t.fail(fmt.Errorf("a switch of the datapath id %d connected, want 1 to %d", i+1, len(t.controllers)))
		return
	}
	t.controllers[i] = s
}

// Frame takes packet-ins of the load.
func (c *controller) Frame(s *session.Session, h openflow.Header, frame []byte) bool {
	if h.Type != openflow.TypePacketIn {
		return true // nothing is wanted of it
	}
	if owner, token, ok := readStamp(frame); ok {
		in := s.Value().(*inbox)
		if owner != uint32(c.tenant.number) {
			in.foreign++
		} else {
			in.tokens = append(in.tokens, token)
		}
	}
	return true
}

// Answer takes the answers to requests of the load.
func (c *controller) Answer(s *session.Session, h openflow.Header, frame []byte) bool {
	if h.XID < ownXID {
		return false
	}
	if c.load.c.Kind.answers(h, frame) {
		in := s.Value().(*inbox)
		in.tokens = append(in.tokens, h.XID&^ownXID)
	}
	return true
}

// BatchEnd counts what came and sends what follows.
func (c *controller) BatchEnd(s *session.Session) {
	in := s.Value().(*inbox)
	if len(in.tokens)+in.foreign == 0 {
		return
	}
	if c.answer != nil {
		c.react(in)
		return
	}
	c.tenant.answered(in.tokens, in.foreign, c.load.Clock())
	in.tokens, in.foreign = in.tokens[:0], 0
}

// react answers the packet-ins of a batch.
func (c *controller) react(in *inbox) {
	for _, token := range in.tokens {
		in.answers.buf = c.answer.append(in.answers.buf, token, 0)
	}
	err := in.answers.flush()
	t := c.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tally.foreign += uint64(in.foreign); err != nil {
		t.fail(err)
	}
	in.tokens, in.foreign = in.tokens[:0], 0
}

// Message notes errors.
func (c *controller) Message(_ *session.Session, _ openflow.Header, m openflow.Message) {
	if e, ok := m.(*openflow.ErrorMsg); ok {
		c.tenant.refused(e)
	}
}

// PacketIn is of those that Frame leaves: none.
func (c *controller) PacketIn(*session.Session, openflow.Header, *openflow.PacketIn) {}

// Disconnected notes the end of a session.
func (c *controller) Disconnected(s *session.Session, err error) {
	t := c.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, is := range t.controllers {
		if is == s {
			t.controllers[i] = nil
			t.fail(fmt.Errorf("the connection of switch %d was ended: %w", i+1, err))
		}
	}
}
