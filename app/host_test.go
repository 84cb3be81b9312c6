package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/session/pipe"
	"github.com/weirnet/weir/southbound"
)

// diarist is an application that writes down what it is told.
type diarist struct {
	mu      sync.Mutex // guards lines
	lines   []string
	filters []Filter
	sw      *Switch
	do      func() // with each packet
}

func (d *diarist) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// take returns the lines since the last call.
func (d *diarist) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.lines
	d.lines = nil
	return list
}

func (d *diarist) SwitchUp(sw *Switch)   { d.sw = sw; d.note("up %d", sw.DPID) }
func (d *diarist) SwitchDown(sw *Switch) { d.note("down %d", sw.DPID) }
func (d *diarist) Filters() []Filter     { return d.filters }
func (d *diarist) PacketIn(p *Packet) {
	d.note("packet 0x%04x at %d of %d bytes", p.Key.EtherType, p.Port, len(p.Data))
	if d.do != nil {
		d.do()
	}
}
func (d *diarist) Refused(_ *Switch, m *openflow.ErrorMsg)        { d.note("refused: %v", m.Code) }
func (d *diarist) Mastered(sw *Switch, on bool)                   { d.note("mastered %d: %t", sw.DPID, on) }
func (d *diarist) SettingsChanged(settings any)                   { d.note("settings %v", settings) }
func (d *diarist) FlowRemoved(_ *Switch, m *openflow.FlowRemoved) { d.note("removed %d", m.Cookie) }
func (d *diarist) Period() time.Duration                          { return 10 * time.Second }
func (d *diarist) Tick(time.Time)                                 { d.note("tick") }

// bench is a host with an application in a registry of sessions, and a switch.
type bench struct {
	t     *testing.T
	d     *diarist
	h     *Host
	sw    *session.Session // the switch's end
	g     *southbound.Registry
	view  *netview.View
	board *alarm.Board
	end   func()
}

// fussy is a switch that refuses packet-outs of port 9.
type fussy struct{ hub.Switch }

func (fussy) PacketOut(s *session.Session, h openflow.Header, m *openflow.PacketOut) {
	if m.InPort == 9 {
		_ = s.Reply(h.XID, &openflow.ErrorMsg{Code: openflow.FlowModFailedTableFull})
	}
}

// inBubble runs a test of an application that has one switch.
func inBubble(t *testing.T, d *diarist, test func(b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		view := netview.New(netview.Limits{})
		board := alarm.New(view)
		log := slog.New(slog.DiscardHandler)
		g, err := southbound.New(southbound.Config{Instance: "test", View: view, Alarms: board, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		h := New(Spec{Name: "diary", New: func(Env) (App, error) { return d, nil }}, view, board, Env{Log: log, Now: time.Now})
		links := discovery.New(view.Facts(), discovery.Config{Key: make([]byte, 32), Seed: 1})
		g.Join(links, flowsync.New(flowsync.Config{Domain: 1}, view), h.InSessions())
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan struct{}, 3)
		for _, run := range []func(context.Context){h.Run, Watch(time.Now, []*Host{h}).Run, board.Run} {
			go func() { run(ctx); ended <- struct{}{} }()
		}
		dialer := session.NewDialer(session.Config{})
		x, y := pipe.New(pipe.Options{})
		if _, err := g.Server.ServeConn(x); err != nil {
			t.Fatal(err)
		}
		s, err := dialer.ServeConn(y, &session.Roles{}, fussy{5})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		b := &bench{t: t, d: d, h: h, sw: s, g: g, view: view, board: board, end: stop}
		test(b)
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
		stop()
		for range 3 {
			<-ended
		}
	})
}

// says checks what the application has written down since the last time.
func (b *bench) says(what string, want ...string) {
	b.t.Helper()
	synctest.Wait()
	if got := b.d.take(); !slices.Equal(got, want) {
		b.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// packet sends a packet-in of an EtherType from the switch.
func (b *bench) packet(etherType uint16) {
	b.t.Helper()
	f := append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, byte(etherType >> 8), byte(etherType)}, make([]byte, 46)...)
	if _, err := b.sw.Send(&openflow.PacketIn{Buffer: openflow.NoBuffer, InPort: 3, Data: f}); err != nil {
		b.t.Fatal(err)
	}
}

// alarms are the active alarms of a kind, as object: text.
func (b *bench) alarms(kind netview.AlarmKind) (list []string) {
	time.Sleep(2 * time.Second) // a part writes them
	synctest.Wait()
	for a := range b.view.Snapshot().Alarms() {
		if a.Kind == kind && a.Active {
			list = append(list, a.Object+": "+a.Text)
		}
	}
	return list
}

// alarmed checks that there is one alarm of a kind, about the application, that has the words.
func (b *bench) alarmed(kind netview.AlarmKind, words string) {
	b.t.Helper()
	if list := b.alarms(kind); len(list) != 1 || !strings.Contains(list[0], words) {
		b.t.Errorf("alarms %s: %q, want one with %q", kind, list, words)
	}
}

// TestWhatAnApplicationSees: sessions, packets by its filters, removals, and its period.
func TestWhatAnApplicationSees(t *testing.T) {
	inBubble(t, &diarist{filters: []Filter{{EtherType: 0x88b5}, {EtherType: 0x88b6, VLAN: 7}}}, func(b *bench) {
		b.says("a switch", "up 5")
		b.packet(0x88b5)
		b.says("a packet", "packet 0x88b5 at 3 of 60 bytes")
		b.packet(0x88b6)
		b.says("one that matches no filter")
		if _, err := b.sw.Send(&openflow.FlowRemoved{Cookie: 9}); err != nil {
			t.Fatal(err)
		}
		b.says("a removal", "removed 9")
		time.Sleep(11 * time.Second)
		b.says("its period", "tick")
		b.sw.Close(nil)
		<-b.sw.Done()
		b.says("the end", "down 5")
	})
}

// TestWhatBecomesOfMessages: the application learns which of its messages a switch refuses, and whether it
// may write at all.
func TestWhatBecomesOfMessages(t *testing.T) {
	inBubble(t, &diarist{}, func(b *bench) {
		b.says("a switch", "up 5")
		send := func(from uint32) (err error) {
			m := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: from, Actions: []openflow.Action{openflow.Output(1)},
				Data: make([]byte, 60)}
			if asked := b.h.do(b.t.Context(), func() { err = b.d.sw.PacketOut(m) }); asked != nil {
				t.Fatal(asked)
			}
			return err
		}
		if err := errors.Join(send(1), send(9)); err != nil {
			t.Fatal(err)
		}
		b.says("one of two messages", fmt.Sprintf("refused: %v", openflow.FlowModFailedTableFull))
		b.g.SetMaster("other", 5)
		b.says("another master", "mastered 5: false")
		if err := send(1); !errors.Is(err, southbound.ErrNotMaster) {
			t.Error(err)
		}
		b.g.SetMasterOfAll("test")
		b.says("the master again", "mastered 5: true")
		if c := b.h.Counts(); c["sent"] != 2 || c["unsent"] != 1 {
			t.Errorf("%v", c)
		}
		b.h.Configure(7)
		b.says("other settings", "settings 7")
	})
}

// sees is an application that sees packets of one EtherType.
type sees struct{ n int }

func (s *sees) Filters() []Filter { return []Filter{{EtherType: 0x88b5}} }
func (s *sees) PacketIn(*Packet)  { s.n++ }

// TestBudgetOfPackets: no allocation for a packet-in on its way to an application, whether it is for it or
// not.
func TestBudgetOfPackets(t *testing.T) {
	need.NoRace(t)
	s := new(sees)
	h := New(Spec{Name: "sees", New: func(Env) (App, error) { return s, nil }}, netview.New(netview.Limits{}), &sink{},
		Env{Log: slog.New(slog.DiscardHandler), Now: time.Now})
	p := &packetPart{part{h, &Switch{}}}
	for _, etherType := range []uint16{0x88b5, 0x88b6} {
		key := packet.Key{EtherType: etherType}
		in := &southbound.Packet{PacketIn: &openflow.PacketIn{InPort: 3, Data: make([]byte, 60)}, Key: &key}
		if n := testing.AllocsPerRun(1000, func() { p.PacketIn(in); h.turn() }); n != 0 {
			t.Errorf("%v allocations of a packet of type 0x%04x", n, etherType)
		}
	}
	if s.n != 1001 {
		t.Errorf("%d packets were seen", s.n)
	}
}

// TestPanic: an application that panics is not called again, an alarm says so, what it is asked is
// refused, and the session goes on.
func TestPanic(t *testing.T) {
	inBubble(t, &diarist{filters: []Filter{{}}}, func(b *bench) {
		b.d.do = func() { panic("oh no") }
		b.packet(0x88b5)
		b.says("the first", "up 5", "packet 0x88b5 at 3 of 60 bytes")
		b.packet(0x88b5)
		b.says("the second")
		b.alarmed(netview.AlarmAppFailed, "diary: it panicked: oh no")
		if s := b.h.State(); s != "failed: it panicked: oh no" {
			t.Errorf("its state is %q", s)
		}
		if err := b.h.do(b.t.Context(), func() { t.Error("it is called") }); !errors.Is(err, errEnded) {
			t.Errorf("asked: %v", err)
		}
		select {
		case <-b.sw.Done():
			t.Error("the session has ended")
		default:
		}
	})
}

// TestPanicAnswersAll: whoever has asked what panics, and who waits behind, is answered.
func TestPanicAnswersAll(t *testing.T) {
	inBubble(t, &diarist{}, func(b *bench) {
		hold, answers := make(chan struct{}), make(chan error, 3)
		go func() { answers <- b.h.do(b.t.Context(), func() { <-hold }) }()
		synctest.Wait()
		for range 2 {
			go func() { answers <- b.h.do(b.t.Context(), func() { panic("asked") }) }()
		}
		synctest.Wait()
		close(hold)
		got := map[error]int{}
		for range 3 {
			got[<-answers]++
		}
		if got[nil] != 1 || got[errEnded] != 2 {
			t.Errorf("answers %v, want one and two refusals", got)
		}
	})
}

// TestStall: of an application that does not return an alarm says so until it does; what comes
// meanwhile waits, is dropped above a bound and counted, requests are refused in time, and neither the
// session nor the end of the instance waits.
func TestStall(t *testing.T) {
	inBubble(t, &diarist{filters: []Filter{{}}}, func(b *bench) {
		hold := make(chan struct{})
		b.d.do = func() { <-hold }
		b.packet(0x88b5)
		synctest.Wait()
		const more = 10
		for range eventsMax + more {
			b.packet(0x88b5)
			synctest.Wait()
		}
		if n := b.h.Counts()["dropped"]; n != more {
			t.Errorf("%d dropped, want %d", n, more)
		}
		if err := b.h.do(b.t.Context(), func() {}); !errors.Is(err, errLate) {
			t.Errorf("asked: %v", err)
		}
		time.Sleep(StallLimit)
		b.alarmed(netview.AlarmAppStalled, "diary: it has not returned")
		if s := b.h.State(); s != "stalled" {
			t.Errorf("its state is %q", s)
		}
		b.d.do = nil
		close(hold)
		synctest.Wait()
		if list := b.alarms(netview.AlarmAppStalled); len(list) != 0 {
			t.Errorf("it has returned: %q", list)
		}
		if n := len(b.d.take()); n < eventsMax+2 {
			t.Errorf("it was told %d things, want all that waited", n)
		}
	})
}

// TestStalledAtTheEnd: an application that never returns is left behind.
func TestStalledAtTheEnd(t *testing.T) {
	inBubble(t, &diarist{filters: []Filter{{}}}, func(b *bench) {
		hold := make(chan struct{})
		b.d.do = func() { <-hold }
		b.packet(0x88b5)
		synctest.Wait()
		ended := make(chan struct{})
		ctx, stop := context.WithCancel(b.t.Context())
		h := New(Spec{Name: "second", New: func(Env) (App, error) { return b.d, nil }}, b.view, b.board,
			Env{Log: slog.New(slog.DiscardHandler), Now: time.Now})
		go func() { defer close(ended); h.Run(ctx) }()
		go func() { _ = h.do(b.t.Context(), func() { <-hold }) }()
		synctest.Wait()
		stop()
		<-ended
		close(hold)
	})
}

// TestFlood: no more than OutputRate messages a second leave, the others are refused with an alarm, and
// a second later some may leave again.
func TestFlood(t *testing.T) {
	inBubble(t, &diarist{filters: []Filter{{}}}, func(b *bench) {
		out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
			Actions: []openflow.Action{openflow.Output(1)}, Data: make([]byte, 60)}
		sent, refused := 0, 0
		b.d.do = func() {
			for range 2 * OutputRate {
				switch err := b.d.sw.PacketOut(out); {
				case err == nil:
					sent++
				case errors.Is(err, ErrFlood):
					refused++
				default:
					t.Error(err)
				}
			}
		}
		came := func() uint64 { synctest.Wait(); return b.sw.Stats().In[openflow.TypePacketOut] }
		before := came()
		b.packet(0x88b5)
		if n := came() - before; n != OutputRate || sent != OutputRate || refused != OutputRate {
			t.Errorf("%d came, %d were taken and %d refused, want %d each", n, sent, refused, OutputRate)
		}
		b.alarmed(netview.AlarmAppFlood, "diary: switch 0000000000000005")
		b.packet(0x88b5)
		synctest.Wait()
		if sent != 2*OutputRate {
			t.Errorf("%d were taken in two seconds", sent)
		}
	})
}

// TestCannotBeMade: of an application that panics or errs as it is made an alarm says so.
func TestCannotBeMade(t *testing.T) {
	view := netview.New(netview.Limits{})
	env := Env{Log: slog.New(slog.DiscardHandler), Now: time.Now}
	for _, f := range []func(Env) (App, error){
		func(Env) (App, error) { return nil, errors.New("no way") }, func(Env) (App, error) { panic("no way") },
		func(Env) (App, error) { return "it has no way to change settings", nil },
	} {
		s := &sink{}
		h := New(Spec{Name: "x", Settings: settings{}, New: f}, view, s, env)
		if state := h.State(); !strings.Contains(state, "no ") || !strings.HasPrefix(state, "failed: ") || len(s.raised) != 1 ||
			h.InSessions() != nil || h.Routes() != nil {
			t.Errorf("its state is %q, alarms %v", h.State(), s.raised)
		}
	}
}

// TestRoutesThatAreThere: an application whose routes cannot be added has failed.
func TestRoutesThatAreThere(t *testing.T) {
	h := New(Spec{Name: "x", New: func(Env) (App, error) { return 7, nil }}, netview.New(netview.Limits{}), &sink{},
		Env{Log: slog.New(slog.DiscardHandler), Now: time.Now})
	h.AddRoutes(func([]rest.Route) { panic("it is there") })
	if h.State() != "failed: it panicked: it is there" {
		t.Error(h.State())
	}
}

// settings are some that need no restart.
type settings struct {
	A string `yaml:"a" doc:"A."`
}

// sink takes alarms.
type sink struct{ raised []string }

func (s *sink) Raise(kind netview.AlarmKind, object, _ string) {
	s.raised = append(s.raised, string(kind)+" "+object)
}
func (s *sink) Clear(netview.AlarmKind, string) {}

// TestAlarms: an application's alarms have its name, and there are no more than raisedMax.
func TestAlarms(t *testing.T) {
	s := &sink{}
	h := New(Spec{Name: "x", New: func(e Env) (App, error) {
		e.Alarms.Raise("", "a")
		e.Alarms.Raise("s1", "b")
		for i := range raisedMax {
			e.Alarms.Raise(fmt.Sprint("more ", i), "c")
		}
		return nil, nil
	}}, netview.New(netview.Limits{}), s, Env{Log: slog.New(slog.DiscardHandler), Now: time.Now})
	if s.raised[0] != "application x" || s.raised[1] != "application x: s1" || s.raised[raisedMax] != "limit application x" ||
		h.State() != "running" {
		t.Errorf("%q, %s", s.raised, h.State())
	}
}
