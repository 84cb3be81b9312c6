package emu

import (
	"sync"
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/session"
)

// learner is a controller as in a textbook: it floods what it does not know, and writes an entry
// for what it knows.
type learner struct {
	t *testing.T

	mu        sync.Mutex
	places    map[uint64]map[packet.MAC]uint32 // port of each address, by switch
	installed int
	status    []openflow.PortStatus
	errors    []openflow.ErrorMsg
	removed   int
	sessions  map[uint64]*session.Session
	packetIns int
}

func newLearner(t *testing.T) *learner {
	return &learner{t: t, places: make(map[uint64]map[packet.MAC]uint32), sessions: make(map[uint64]*session.Session)}
}

func (l *learner) Connected(s *session.Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions[s.Features().Datapath] = s
	l.places[s.Features().Datapath] = make(map[packet.MAC]uint32)
	if s.Version() != openflow.V10 {
		_, _ = s.Send(addFlow(0, openflow.Match{}, openflow.Apply(openflow.OutputController(openflow.ControllerNoCut))))
	}
}

func (l *learner) PacketIn(s *session.Session, _ openflow.Header, p *openflow.PacketIn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.packetIns++
	if len(p.Data) < 14 {
		return
	}
	to, from := packet.MAC(p.Data[:6]), packet.MAC(p.Data[6:12])
	places := l.places[s.Features().Datapath]
	places[from] = p.InPort
	out := openflow.PortFlood
	if port, known := places[to]; known {
		out = port
		var m openflow.Match
		m.Set(openflow.FieldEthDst, to[:], nil)
		_, _ = s.Send(addFlow(10, m, openflow.Apply(openflow.Output(port))))
		l.installed++
	}
	_, _ = s.Send(&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: p.InPort, Data: p.Data,
		Actions: []openflow.Action{openflow.Output(out)}})
}

func (l *learner) BatchEnd(*session.Session) {}

func (l *learner) Message(_ *session.Session, _ openflow.Header, m openflow.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch m := m.(type) {
	case *openflow.PortStatus:
		l.status = append(l.status, *m)
	case *openflow.ErrorMsg:
		l.errors = append(l.errors, *m)
	case *openflow.FlowRemoved:
		l.removed++
	}
}

func (l *learner) Disconnected(s *session.Session, _ error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions[s.Features().Datapath] == s {
		delete(l.sessions, s.Features().Datapath)
	}
}

// addFlow adds an entry.
func addFlow(priority uint16, m openflow.Match, ins ...openflow.Instruction) *openflow.FlowMod {
	return &openflow.FlowMod{Command: openflow.FlowAdd, Priority: priority, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Match: m, Instructions: ins}
}
