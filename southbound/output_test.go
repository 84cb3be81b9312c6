package southbound

import (
	"context"
	"errors"
	"testing"

	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/session/pipe"
)

// takesSession hands over the session that connects.
type takesSession struct{ up chan *session.Session }

func (c takesSession) Connected(s *session.Session)                                   { c.up <- s }
func (c takesSession) PacketIn(*session.Session, openflow.Header, *openflow.PacketIn) {}
func (c takesSession) BatchEnd(*session.Session)                                      {}
func (c takesSession) Message(*session.Session, openflow.Header, openflow.Message)    {}
func (c takesSession) Disconnected(*session.Session, error)                           {}

// countsFlowMods is a switch that counts.
type countsFlowMods struct {
	hub.Switch
	mods chan struct{}
}

func (s countsFlowMods) FlowMod(*session.Session, openflow.Header, *openflow.FlowMod) {
	s.mods <- struct{}{}
}

// connected is a session with a switch, and the end of its connection at our side.
func connected(t testing.TB, sw session.SwitchHandler) (*session.Session, *pipe.Conn) {
	t.Helper()
	a, b := pipe.New(pipe.Options{})
	ctl := takesSession{make(chan *session.Session, 1)}
	server, dialer := session.NewServer(session.Config{}, ctl), session.NewDialer(session.Config{})
	t.Cleanup(func() {
		dialer.Close(context.Background())
		server.Close(context.Background())
	})
	if _, err := server.ServeConn(a); err != nil {
		t.Fatal(err)
	}
	if _, err := dialer.ServeConn(b, new(session.Roles), sw); err != nil {
		t.Fatal(err)
	}
	return <-ctl.up, a
}

// masterQueue is the queue of a session to which this instance may write.
func masterQueue(s *session.Session) *queue {
	q := newQueue(s)
	q.master.Store(true)
	return q
}

// TestOutputLosesNothingInSilence sends far more to a slow switch than its queue holds: what is not
// refused arrives, before the barrier's answer.
func TestOutputLosesNothingInSilence(t *testing.T) {
	const sent = 60_000
	sw := countsFlowMods{Switch: 7, mods: make(chan struct{}, sent)}
	s, a := connected(t, sw)
	a.HoldOutput(true)
	o := masterQueue(s).output("test", nil)
	refused := 0
	for range sent {
		err := o.FlowMod(&openflow.FlowMod{
			Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))},
		})
		if errors.Is(err, session.ErrFull) {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if refused == 0 {
		t.Fatal("the queue held everything: nothing was tested")
	}
	confirmed := make(chan error, 1)
	if err := o.Barrier(func(err error) { confirmed <- err }); err != nil {
		t.Fatal(err)
	}
	a.HoldOutput(false)
	if err := <-confirmed; err != nil {
		t.Fatal(err)
	}
	if arrived := len(sw.mods); arrived != sent-refused {
		t.Errorf("of %d flow-mods %d were refused and %d arrived: %d were lost in silence", sent, refused, arrived,
			sent-refused-arrived)
	}
}

// addition is a flow-mod as applications write them.
func addition() *openflow.FlowMod {
	m := &openflow.FlowMod{Cookie: 7, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))}}
	m.Match.SetUint(openflow.FieldEthDst, 7)
	return m
}

// TestAllocationBudgetOfWriting: no allocation for a flow-mod or a packet-out, whether it is collected or
// sent at once, nor for whose it is.
func TestAllocationBudgetOfWriting(t *testing.T) {
	need.NoRace(t)
	s, a := connected(t, hub.Switch(7))
	q := masterQueue(s)
	o := q.output("test", nil)
	var mod openflow.Message = addition()
	list := []openflow.Message{mod}
	frames, err := openflow.Append(nil, q.v, 0, mod)
	if err != nil {
		t.Fatal(err)
	}
	out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController, Data: frame,
		Actions: []openflow.Action{openflow.Output(1)}}
	number := uint64(0)
	a.HoldOutput(true) // the switch allocates too
	for what, write := range map[string]func() error{
		"FlowMod":    func() error { return o.FlowMod(mod.(*openflow.FlowMod)) },
		"PacketOut":  func() error { return o.PacketOut(out) },
		"Send":       func() error { number++; return o.Send(number, 0, list...) },
		"SendFrames": func() error { number++; return o.SendFrames(number, frames, 1) },
	} {
		if n := testing.AllocsPerRun(1000, func() { _ = write() }); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
		if err := write(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	a.HoldOutput(false)
}

// TestRangesAreFound: messages are found by their transaction ids, across the end of these; those of
// the number that is being sent are never forgotten, of others the last.
func TestRangesAreFound(t *testing.T) {
	var r sentRanges
	first := uint32(1<<32 - 1000)
	for i := range uint32(1000) { // every second one is somebody else's
		r.add(first+2*i, 1, 0, 0)
		if _, _, ok := r.find(first + 2*i + 1); ok {
			t.Fatal("somebody else's message is found")
		}
		if _, _, ok := r.find(first + 2*i); !ok {
			t.Fatal("the last message is not found")
		}
	}
	if len(r.list) > sentRangesMax {
		t.Errorf("%d ranges are kept", len(r.list))
	}
	if _, _, ok := r.find(first); ok {
		t.Error("the first is still found")
	}
	r.add(5000, 10, 7, 0)
	for i := range uint32(1000) {
		r.add(6000+2*i, 1, 7, 10+i)
	}
	for _, c := range []struct {
		xid   uint32
		index int
	}{{5000, 0}, {5009, 9}, {6000, 10}, {6000 + 2*999, 1009}} {
		if number, index, ok := r.find(c.xid); !ok || number != 7 || index != c.index {
			t.Errorf("%d: number %d, index %d, %v", c.xid, number, index, ok)
		}
	}
	r.add(9000, 5, 8, 0)
	r.add(9005, 5, 8, 5)
	if n := len(r.list); n > sentRangesMax {
		t.Errorf("%d ranges are kept of numbers that were sent before", n)
	}
	if number, index, ok := r.find(9007); !ok || number != 8 || index != 7 {
		t.Errorf("number %d, index %d, %v", number, index, ok)
	}
}
