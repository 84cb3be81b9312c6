package southbound

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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
	out               *Output // its
	refusal           Refusal
	probes            []bool // what of the packet-ins was a discovery frame
}

func (w *watcher) Name() string { return w.name }

func (w *watcher) SwitchUp(sw *Switch) Part {
	w.sw, w.out = sw, sw.Output(w.name, w)
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

func (idle) Name() string          { return "idle" }
func (idle) SwitchUp(*Switch) Part { return nil }

// southboundOf is a registry with applications, and what it stands on.
func southboundOf(t testing.TB, apps ...App) *Registry {
	t.Helper()
	view := netview.New(netview.Limits{})
	alarms := alarm.New(view)
	g, err := New(Config{Instance: "test", View: view, Alarms: alarms, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	d := discovery.New(view.Facts(), discovery.Config{Key: make([]byte, 32), Seed: 1})
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

// TestRefusals: an error reaches who sent the message, and nobody else: with the rule that it refuses,
// if FlowMod has added that, or with the number and the index that Send was given. One about a message
// that nobody sent is counted.
func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other := &watcher{name: "w", diary: new(diary)}, &watcher{name: "other", diary: new(diary)}
		g := southboundOf(t, w, other)
		dialer := session.NewDialer(session.Config{})
		s := connect(t, g, dialer, refusesRules{5})
		rule := func(port uint32) *openflow.FlowMod {
			m := &openflow.FlowMod{Cookie: 77, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
			m.Match.SetUint(openflow.FieldInPort, uint64(port))
			return m
		}
		if err := errors.Join(w.out.FlowMod(rule(3)), other.out.Send(9, 4, rule(1), rule(2))); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		port, _ := w.refusal.Match.Uint(openflow.FieldInPort)
		if r := w.refusal; !r.Known || r.Cookie != 77 || port != 3 || r.Error.Code != openflow.FlowModFailedTableFull {
			t.Errorf("%+v", r)
		}
		if r := other.refusal; r.Known || r.Number != 9 || r.Index != 5 || r.Error.Code != openflow.FlowModFailedTableFull {
			t.Errorf("%+v", r)
		}
		var frames []byte
		for i := range uint32(3) {
			var err error
			if frames, err = openflow.Append(frames, w.sw.Version, 0, rule(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := other.out.SendFrames(10, frames, 3); err != nil {
			t.Fatal(err)
		}
		deletion := rule(4)
		deletion.Command = openflow.FlowDeleteStrict
		if err := w.out.FlowMod(deletion); err != nil {
			t.Fatal(err)
		}
		w.out.Flush()
		synctest.Wait()
		if r := other.refusal; r.Number != 10 || r.Index != 2 {
			t.Errorf("%+v", r)
		}
		if w.refusal.Known || w.refusal.XID == 0 {
			t.Errorf("of what adds no rule: %+v", w.refusal)
		}
		if n := g.Unowned(); n != 0 {
			t.Errorf("%d errors of nobody's messages", n)
		}
		w.refusal, other.refusal = Refusal{}, Refusal{}
		if _, err := s.Send(&openflow.ErrorMsg{Code: openflow.FlowModFailedTableFull}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if w.refusal.Error != nil || other.refusal.Error != nil || g.Unowned() != 1 {
			t.Errorf("an error of nothing that was sent, %d counted: %+v, %+v", g.Unowned(), w.refusal, other.refusal)
		}
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
	})
}

// TestErrorsOfFlowsync: an error about a rule that is desired reaches flowsync alone, though an
// application writes in the same session.
func TestErrorsOfFlowsync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watcher{name: "w", diary: new(diary)}
		g := southboundOf(t, w)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { g.flowsync.Run(ctx); close(ended) }()
		dialer := session.NewDialer(session.Config{})
		connect(t, g, dialer, refusesRules{5})
		time.Sleep(5 * time.Minute) // its meters are not told
		refused := func() (n uint64) {
			g.flowsync.Ask(func(c *flowsync.Core) { n = c.Counters().Refused })
			return n
		}
		if refused() == 0 || w.refusal.Error != nil || g.Unowned() != 0 {
			t.Errorf("%d of its messages refused, %d nobody's, the application was told %+v", refused(), g.Unowned(), w.refusal)
		}
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
		stop()
		<-ended
	})
}

// received counts what a switch gets: flow-mods and packet-outs, and of them those of addition.
type received struct {
	hub.Switch
	all, additions *atomic.Int64
}

func (r received) FlowMod(_ *session.Session, _ openflow.Header, m *openflow.FlowMod) {
	if r.all.Add(1); m.Cookie == addition().Cookie {
		r.additions.Add(1)
	}
}

func (r received) PacketOut(*session.Session, openflow.Header, *openflow.PacketOut) { r.all.Add(1) }

// TestEpochs: a switch comes back while what was written to it waits in the queue of its session
// before, which has ended, or is silent and not known to have: nothing of that reaches the new session's
// queue, nor what any owner still writes by the old one, and its barriers say so.
func TestEpochs(t *testing.T) {
	t.Run("ended", func(t *testing.T) { testEpochs(t, false) })
	t.Run("silent", func(t *testing.T) { testEpochs(t, true) })
}

func testEpochs(t *testing.T, silent bool) {
	synctest.Test(t, func(t *testing.T) {
		w := &watcher{name: "w", diary: new(diary)}
		g := southboundOf(t, w)
		dialer := session.NewDialer(session.Config{})
		a, b := pipe.New(pipe.Options{Buffer: 256}) // less than what is written
		if _, err := g.Server.ServeConn(a); err != nil {
			t.Fatal(err)
		}
		first, err := dialer.ServeConn(b, &session.Roles{}, hub.Switch(5))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		old := w.sw
		a.HoldOutput(true)
		frames, err := openflow.Append(nil, old.Version, 0, addition())
		if err != nil {
			t.Fatal(err)
		}
		out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
			Actions: []openflow.Action{openflow.Output(1)}, Data: frame}
		var owners []string
		write := func(failed chan<- error) { // by all who write
			owners = owners[:0]
			for _, o := range old.queue.outputs {
				owners = append(owners, o.owner)
				_ = o.Send(1, 0, addition(), out)
				_ = o.SendFrames(1, frames, 1)
				_ = o.FlowMod(addition())
				_ = o.PacketOut(out)
				if err := o.Barrier(func(err error) { failed <- err }); err != nil {
					failed <- err
				}
				_ = o.FlowMod(addition()) // waits for a Flush
			}
		}
		queued, late := make(chan error, 10), make(chan error, 10)
		write(queued)
		if !slices.Contains(owners, "w") || !slices.Contains(owners, ownerFlowsync) || !slices.Contains(owners, ownerDiscovery) {
			t.Errorf("these write: %v", owners)
		}
		if old.Session.Queue() == 0 {
			t.Error("nothing waits in the queue of the first session")
		}
		if silent {
			a.Partition(true)
		} else {
			first.Close(nil)
			<-first.Done()
			synctest.Wait()
		}
		var n atomic.Int64
		next := connect(t, g, dialer, received{5, &n, new(atomic.Int64)})
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if w.sw == old || w.sw.Epoch <= old.Epoch {
			t.Errorf("epoch %d after %d", w.sw.Epoch, old.Epoch)
		}
		write(late)
		for _, o := range old.queue.outputs {
			o.Flush()
		}
		a.Partition(false)
		synctest.Wait()
		for range owners {
			if err := <-queued; err == nil {
				t.Error("a barrier that was queued is confirmed")
			}
			if err := <-late; err == nil {
				t.Error("a barrier of an ended session is confirmed")
			}
		}
		in := next.Stats().In
		if n.Load() != 0 || in[openflow.TypeFlowMod]+in[openflow.TypePacketOut] != 0 {
			t.Errorf("%d messages of the session before came", n.Load())
		}
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
	})
}

func (w *watcher) Mastered(on bool) { w.diary.note(fmt.Sprintf("%s master %t", w.name, on)) }

// TestMastership: a switch is connected, and asked, while this instance may not write to it: what is
// written then is refused by name, what was collected before does not leave, and its barrier says so.
// Applications are told of both, flowsync writes when it may again.
func TestMastership(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watcher{name: "w", diary: new(diary)}
		g := southboundOf(t, w)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { g.flowsync.Run(ctx); close(ended) }()
		dialer := session.NewDialer(session.Config{})
		var n, additions atomic.Int64
		told := func(what string, want ...string) {
			t.Helper()
			synctest.Wait()
			if got := w.diary.take(); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		g.SetMaster("other", 5)
		s := connect(t, g, dialer, received{5, &n, &additions})
		told("a switch of another master", "w up", "w master false")
		time.Sleep(5 * time.Minute)
		if n.Load() != 0 {
			t.Errorf("%d messages to a switch of another master", n.Load())
		}
		g.SetMaster("test", 5)
		told("the new master", "w master true")
		time.Sleep(5 * time.Minute)
		synctest.Wait() // what comes or is sent at this moment would take along what is collected
		if n.Load() == 0 {
			t.Error("the new master writes nothing")
		}
		if err := w.out.FlowMod(addition()); err != nil { // waits for a Flush
			t.Fatal(err)
		}
		g.SetMasterOfAll("")
		g.SetMaster("other", 5)
		told("the old master", "w master false")
		frames, err := openflow.Append(nil, w.sw.Version, 0, addition())
		if err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{
			"FlowMod": w.out.FlowMod(addition()), "Send": w.out.Send(1, 0, addition()),
			"PacketOut":  w.out.PacketOut(&openflow.PacketOut{Buffer: openflow.NoBuffer}),
			"SendFrames": w.out.SendFrames(1, frames, 1), "Barrier": w.out.Barrier(func(error) { t.Error("confirmed") }),
		} {
			if !errors.Is(err, ErrNotMaster) {
				t.Errorf("%s: %v", what, err)
			}
		}
		w.out.Flush()
		asked := make(chan error, 1)
		if err := w.out.Multipart(&openflow.DescRequest{}, func(_ openflow.ReplyBody, err error) { asked <- err }); err != nil {
			t.Error(err)
		}
		if err := <-asked; err != nil || w.sw.Mastered() {
			t.Errorf("a question to a switch of another master: %v", err)
		}
		g.SetMasterOfAll("test")
		told("the master again", "w master true")
		if err := w.out.Barrier(func(error) { t.Error("what was dropped is confirmed") }); !errors.Is(err, ErrNotMaster) {
			t.Error(err)
		}
		if err := w.out.Barrier(func(err error) { asked <- err }); err != nil {
			t.Fatal(err)
		}
		if err := <-asked; err != nil {
			t.Error(err)
		}
		if n := additions.Load(); n != 0 {
			t.Errorf("%d messages of a time that was over", n)
		}
		s.Close(nil)
		<-s.Done()
		told("its end", "w down")
		g.SetMasterOfAll("other")
		told("after its end")
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
		stop()
		<-ended
	})
}

// TestMasterOfEach: of two switches one has another master: what is written to that is refused, the other
// is written to, and the view tells them apart, connected or not. What is said of all is also of those
// that come later.
func TestMasterOfEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watcher{name: "w", diary: new(diary)}
		g := southboundOf(t, w)
		go g.discovery.Run(t.Context())
		dialer := session.NewDialer(session.Config{})
		var switches [4]*Switch
		up := func(n int) *session.Session {
			s := connect(t, g, dialer, hub.Switch(n))
			switches[n] = w.sw
			return s
		}
		want := func(what string, masters ...string) {
			t.Helper()
			synctest.Wait()
			for i, master := range masters {
				dpid := netview.DPID(i + 1)
				snap := g.cfg.View.Snapshot()
				if row, known := snap.Switch(dpid); snap.Master(dpid) != master || known && row.Master != master {
					t.Errorf("%s: switch %d has the master %q, want %q: %+v", what, dpid, snap.Master(dpid), master, row)
				}
				if sw := switches[dpid]; sw != nil && sw.Mastered() != (master == "test") {
					t.Errorf("%s: may write to %d, whose master is %q: %t", what, dpid, master, sw.Mastered())
				}
			}
			if err := g.cfg.View.Snapshot().Check(); err != nil {
				t.Error(what, err)
			}
		}
		first := up(1)
		up(2)
		want("at first", "test", "test", "test")
		g.SetMaster("other", 1)
		want("one of another", "other", "test", "test")
		if _, known := g.cfg.View.Snapshot().Switch(1); !known {
			t.Error("discovery does not know the switch")
		}
		first.Close(nil)
		<-first.Done()
		switches[1] = nil
		want("it disconnects", "other", "test", "test")
		up(1)
		want("it comes back", "other", "test", "test")
		g.SetMasterOfAll("other")
		up(3)
		want("all", "other", "other", "other")
		g.SetMaster("test", 2, 3)
		want("two of them", "other", "test", "test")
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
	})
}

// mover is an application that hands a switch to another master when it is told that it is this one's.
type mover struct {
	g     *Registry
	dpid  netview.DPID
	diary *diary
}

func (m *mover) Name() string             { return "mover" }
func (m *mover) SwitchUp(sw *Switch) Part { m.dpid = sw.DPID; return m }
func (m *mover) SwitchDown()              { m.diary.note("down") }
func (m *mover) Mastered(on bool) {
	m.diary.note(fmt.Sprint("master ", on))
	if on {
		m.g.SetMaster("other", m.dpid)
	}
}

// TestMastershipInItsCallback: who is told may say something of mastership himself: no lock is held.
func TestMastershipInItsCallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &mover{diary: new(diary)}
		m.g = southboundOf(t, m)
		dialer := session.NewDialer(session.Config{})
		m.g.SetMasterOfAll("")
		s := connect(t, m.g, dialer, hub.Switch(5))
		m.g.SetMaster("test", 5)
		s.Close(nil)
		<-s.Done()
		synctest.Wait()
		want := []string{"master false", "master true", "master false", "down"}
		if got := m.diary.take(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		dialer.Close(context.Background())
		m.g.Server.Close(context.Background())
	})
}

// counts is an application that does nothing with packets but count them.
type counts struct{ n int }

func (c *counts) Name() string          { return "counts" }
func (c *counts) SwitchUp(*Switch) Part { return c }
func (c *counts) SwitchDown()           {}
func (c *counts) PacketIn(*Packet) bool { c.n++; return false }

// TestAPacketInCostsNothing: no allocation between a session and the applications, contained ones too, but
// what discovery does with a host that is new to it.
func TestAPacketInCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(counts)
		contained := new(counts)
		g := southboundOf(t, &watcher{name: "w", diary: new(diary), refuses: 8}, c, NewContainment(nil).App(contained))
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
		n := testing.AllocsPerRun(100, func() { g.PacketIn(s, openflow.Header{}, pin) })
		if n > discovers || c.n == 0 || contained.n != c.n {
			t.Errorf("%v allocations of a packet, %v of them discovery's; %d and %d were seen", n, discovers, c.n, contained.n)
		}
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
	})
}
