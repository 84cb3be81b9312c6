package southbound

import (
	"errors"
	"testing"

	"github.com/weirnet/weir/internal/hub"
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

// TestOutletLosesNothingInSilence sends far more to a slow switch than its queue holds: what is not
// refused arrives, before the barrier's answer.
func TestOutletLosesNothingInSilence(t *testing.T) {
	a, b := pipe.New(pipe.Options{})
	ctl := takesSession{make(chan *session.Session, 1)}
	server, dialer := session.NewServer(session.Config{}, ctl), session.NewDialer(session.Config{})
	defer server.Close(t.Context())
	defer dialer.Close(t.Context())
	if _, err := server.ServeConn(a); err != nil {
		t.Fatal(err)
	}
	const sent = 60_000
	sw := countsFlowMods{Switch: 7, mods: make(chan struct{}, sent)}
	if _, err := dialer.ServeConn(b, new(session.Roles), sw); err != nil {
		t.Fatal(err)
	}
	s := <-ctl.up
	a.HoldOutput(true)
	o := newOutput(s)
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
