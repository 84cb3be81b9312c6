package emu

import (
	"errors"
	"sync"
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// boss is a controller that keeps what its switches say, and does nothing by itself.
type boss struct {
	mu        sync.Mutex
	sessions  map[uint64]*session.Session
	packetIns []openflow.PacketIn
	messages  []openflow.Message
	ended     int
}

func newBoss() *boss { return &boss{sessions: make(map[uint64]*session.Session)} }

func (b *boss) Connected(s *session.Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sessions[s.Features().Datapath] = s
}

func (b *boss) PacketIn(_ *session.Session, _ openflow.Header, p *openflow.PacketIn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := *p
	kept.Match, kept.Data = p.Match.Clone(), append([]byte(nil), p.Data...)
	b.packetIns = append(b.packetIns, kept)
}

func (b *boss) BatchEnd(*session.Session) {}

func (b *boss) Message(_ *session.Session, _ openflow.Header, m openflow.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = append(b.messages, m)
}

func (b *boss) Disconnected(s *session.Session, _ error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sessions[s.Features().Datapath] == s {
		delete(b.sessions, s.Features().Datapath)
	}
	b.ended++
}

// of waits for the session of a switch.
func (b *boss) of(t testing.TB, dpid uint64) (s *session.Session) {
	t.Helper()
	await(t, "the controller knows the switch", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		s = b.sessions[dpid]
		return s != nil
	})
	return s
}

// seen is what has come so far.
func (b *boss) seen() (packetIns int, messages []openflow.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.packetIns), append([]openflow.Message(nil), b.messages...)
}

// statuses are the port statuses that have come.
func (b *boss) statuses() (list []openflow.PortStatus) {
	_, all := b.seen()
	for _, m := range all {
		if p, ok := m.(*openflow.PortStatus); ok {
			list = append(list, *p)
		}
	}
	return list
}

// ask sends a request and waits for the answer.
func ask(t testing.TB, s *session.Session, m openflow.Message) openflow.Message {
	t.Helper()
	got, err := s.RequestContext(patient(t), m)
	if err != nil {
		t.Fatalf("%s: %v", m.Type(), err)
	}
	return got
}

// refusal is the error with which a request is answered.
func refusal(t testing.TB, s *session.Session, m openflow.Message) openflow.ErrorCode {
	t.Helper()
	_, err := s.RequestContext(patient(t), m)
	var peer *session.PeerError
	if !errors.As(err, &peer) {
		t.Fatalf("%s: answered with %v, want an OpenFlow error", m.Type(), err)
	}
	return peer.Msg.Code
}

// tell sends messages and waits until the switch has done them; it returns the error messages that
// have come meanwhile.
func (b *boss) tell(t testing.TB, s *session.Session, list ...openflow.Message) (codes []openflow.ErrorCode) {
	t.Helper()
	_, before := b.seen()
	if _, err := s.Send(list...); err != nil {
		t.Fatal(err)
	}
	ask(t, s, &openflow.BarrierRequest{})
	_, all := b.seen()
	for _, m := range all[len(before):] {
		if e, ok := m.(*openflow.ErrorMsg); ok {
			codes = append(codes, e.Code)
		}
	}
	return codes
}

// toController is an entry by which all packets go to the controllers.
func toController() openflow.Message {
	return addFlow(0, openflow.Match{}, openflow.Apply(openflow.OutputController(openflow.ControllerNoCut)))
}

// forward is an entry by which what comes in at one port leaves by another.
func forward(in, out uint32) openflow.Message {
	var m openflow.Match
	m.SetUint(openflow.FieldInPort, uint64(in))
	return addFlow(100, m, openflow.Apply(openflow.Output(out)))
}
