package southbound

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/session/pipe"
)

// diary is what applications of a test write down.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

// take returns the lines since the last call.
func (d *diary) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.lines
	d.lines = nil
	return list
}

// watcher is an application that writes down what it is told.
type watcher struct {
	name  string
	diary *diary
	// consumes and refuses are ports whose packet-ins it consumes, and does not admit.
	consumes, refuses uint32
	sw                *Switch // of the last session
	refusal           Refusal
	probes            []bool // what of the packet-ins was a discovery frame
}

func (w *watcher) SwitchUp(sw *Switch) Part {
	w.sw = sw
	w.diary.note(w.name + " up")
	return w
}

func (w *watcher) SwitchDown() { w.diary.note(w.name + " down") }

func (w *watcher) Admit(port uint32, probe bool) bool {
	w.probes = append(w.probes, probe)
	return port != w.refuses
}

func (w *watcher) PacketIn(p *Packet) bool {
	w.diary.note(w.name + " sees a packet of " + p.Key.EthSrc.String())
	return p.InPort == w.consumes
}

func (w *watcher) FlowRemoved(*openflow.FlowRemoved) { w.diary.note(w.name + " sees a removal") }

func (w *watcher) Refused(r *Refusal) { w.refusal = *r }

// idle is an application that takes no part.
type idle struct{}

func (idle) SwitchUp(*Switch) Part { return nil }

// southboundOf is a registry with applications, and what it stands on.
func southboundOf(t testing.TB, apps ...App) *Registry {
	t.Helper()
	view := netview.New(netview.Limits{})
	alarms := alarm.New(view)
	g, err := New(Config{View: view, Alarms: alarms, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	d := discovery.New(view.Facts(), g, discovery.Config{Instance: "test", Key: make([]byte, 32), Seed: 1})
	g.Join(d, flowsync.New(flowsync.Config{Domain: 1}, view), apps...)
	return g
}

// connect connects a switch, and returns its end of the session.
func connect(t *testing.T, g *Registry, d *session.Dialer, sw session.SwitchHandler) *session.Session {
	t.Helper()
	a, b := pipe.New(pipe.Options{})
	if _, err := g.Server.ServeConn(a); err != nil {
		t.Fatal(err)
	}
	s, err := d.ServeConn(b, &session.Roles{}, sw)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return s
}

var (
	stationMAC = packet.MAC{2, 0, 0, 0, 0, 1}
	frame      = append(append(append([]byte{2, 0, 0, 0, 0, 2}, stationMAC[:]...), 0x88, 0xb5), make([]byte, 46)...)
)

func packetIn(port uint32, data []byte) *openflow.PacketIn {
	return &openflow.PacketIn{Buffer: openflow.NoBuffer, InPort: port, Data: data}
}

// TestChain: applications see what a switch says in their order, until one of them consumes a packet
// or does not admit it; frames that no host can send nobody sees; and a session's parts end with it.
func TestChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(diary)
		first, second := &watcher{name: "first", diary: d, consumes: 7}, &watcher{name: "second", diary: d, refuses: 8}
		g := southboundOf(t, first, idle{}, second)
		dialer := session.NewDialer(session.Config{})
		s := connect(t, g, dialer, hub.Switch(5))
		said := func(what string, m openflow.Message, want ...string) {
			t.Helper()
			if m != nil {
				if _, err := s.Send(m); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			if got := d.take(); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		said("a switch", nil, "first up", "second up")
		const seen = " sees a packet of 02:00:00:00:00:01"
		said("a packet", packetIn(1, frame), "first"+seen, "second"+seen)
		said("a packet that is consumed", packetIn(7, frame), "first"+seen)
		said("a packet that is not admitted", packetIn(8, frame))
		multicast := slices.Clone(frame)
		multicast[6] |= 1
		said("a packet of no host", packetIn(1, multicast))
		said("a packet that is cut", packetIn(1, frame[:9]))
		said("a removal", &openflow.FlowRemoved{Cookie: 1}, "first sees a removal", "second sees a removal")
		s.Close(nil)
		<-s.Done()
		said("its end", nil, "second down", "first down")
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
	})
}

// TestProbesToTheGuard: a discovery frame is one with a tag too; with two it is not, since rules that
// look for it do not find it there.
func TestProbesToTheGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watcher{name: "w", diary: new(diary), refuses: 1}
		g := southboundOf(t, w)
		dialer := session.NewDialer(session.Config{})
		s := connect(t, g, dialer, hub.Switch(5))
		tag := []byte{0x81, 0, 0, 7}
		for _, tags := range [][]byte{nil, tag, append(slices.Clone(tag), tag...)} {
			f := append(append(slices.Clone(frame[:12]), tags...), append([]byte{0x88, 0xcc}, make([]byte, 46)...)...)
			if _, err := s.Send(packetIn(1, f)); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if want := []bool{true, true, false}; !slices.Equal(w.probes, want) {
			t.Errorf("discovery frames without a tag, with one and with two: %v, want %v", w.probes, want)
		}
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
	})
}

// refusesRules is a switch that refuses every flow-mod.
type refusesRules struct{ hub.Switch }

func (refusesRules) FlowMod(s *session.Session, h openflow.Header, m *openflow.FlowMod) {
	_ = s.Reply(h.XID, &openflow.ErrorMsg{Code: openflow.FlowModFailedTableFull})
}

// TestRefusals: an error comes with the rule that it refuses, if Output has written that one.
func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watcher{name: "w", diary: new(diary)}
		g := southboundOf(t, w)
		dialer := session.NewDialer(session.Config{})
		s := connect(t, g, dialer, refusesRules{5})
		rule := &openflow.FlowMod{Cookie: 77, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
		rule.Match.SetUint(openflow.FieldInPort, 3)
		if err := w.sw.Out.FlowMod(rule); err != nil {
			t.Fatal(err)
		}
		w.sw.Out.Flush()
		synctest.Wait()
		port, _ := w.refusal.Match.Uint(openflow.FieldInPort)
		if r := w.refusal; !r.Known || r.Cookie != 77 || port != 3 || r.Error.Code != openflow.FlowModFailedTableFull {
			t.Errorf("%+v", r)
		}
		if _, err := s.Send(&openflow.ErrorMsg{Code: openflow.FlowModFailedTableFull}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if w.refusal.Known {
			t.Errorf("an error of nothing that was written: %+v", w.refusal)
		}
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
	})
}

// TestEpochs: what is left of an ended session reaches no later one of the same switch, and its
// barriers say so.
func TestEpochs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watcher{name: "w", diary: new(diary)}
		g := southboundOf(t, w)
		dialer := session.NewDialer(session.Config{})
		s := connect(t, g, dialer, hub.Switch(5))
		old := w.sw
		out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
			Actions: []openflow.Action{openflow.Output(1)}, Data: frame}
		if err := old.Out.PacketOut(out); err != nil { // waits for a Flush
			t.Fatal(err)
		}
		s.Close(nil)
		<-s.Done()
		synctest.Wait()
		next := connect(t, g, dialer, hub.Switch(5))
		if w.sw == old || w.sw.Epoch <= old.Epoch {
			t.Errorf("epoch %d after %d", w.sw.Epoch, old.Epoch)
		}
		old.Out.Flush()
		failed := make(chan error, 1)
		if err := old.Out.Barrier(func(err error) { failed <- err }); err == nil {
			synctest.Wait()
			if err := <-failed; err == nil {
				t.Error("a barrier of an ended session is confirmed")
			}
		}
		synctest.Wait()
		if n := next.Stats().In[openflow.TypePacketOut]; n != 0 {
			t.Errorf("%d packet-outs of the session before came", n)
		}
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
	})
}

// counts is an application that does nothing with packets but count them.
type counts struct{ n int }

func (c *counts) SwitchUp(*Switch) Part { return c }
func (c *counts) SwitchDown()           {}
func (c *counts) PacketIn(*Packet) bool { c.n++; return false }

// TestAPacketInCostsNothing: no allocation between a session and the applications, but what discovery
// does with a host that is new to it.
func TestAPacketInCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(counts)
		g := southboundOf(t, &watcher{name: "w", diary: new(diary), refuses: 8}, c)
		dialer := session.NewDialer(session.Config{})
		connect(t, g, dialer, hub.Switch(5))
		s := g.Server.Session(5)
		sw := s.Value().(*Switch)
		sw.packets = sw.packets[1:] // the watcher's diary allocates
		pin := packetIn(8, frame)
		if n := testing.AllocsPerRun(100, func() { g.PacketIn(s, openflow.Header{}, pin) }); n != 0 {
			t.Errorf("%v allocations of a packet that is not admitted", n)
		}
		pin = packetIn(1, frame)
		discovers := testing.AllocsPerRun(100, func() { g.discovery.Frame(5, 1, &sw.key) })
		if n := testing.AllocsPerRun(100, func() { g.PacketIn(s, openflow.Header{}, pin) }); n > discovers || c.n == 0 {
			t.Errorf("%v allocations of a packet, %v of them discovery's; %d were seen", n, discovers, c.n)
		}
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
	})
}
