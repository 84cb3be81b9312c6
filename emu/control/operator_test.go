package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/need"
)

// notes are the lines that an operator told.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

func (n *notes) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.lines)
}

// start runs a network under a hub, and its operator.
func start(t testing.TB, word string) (*Operator, *hub.Hub, *notes) {
	t.Helper()
	n, h := hub.StartNetwork(t, word)
	lines := &notes{}
	d := New(Config{Network: n, CaptureDir: t.TempDir(), Note: lines.add})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, h, lines
}

func ptr[T any](v T) *T { return &v }

func TestLinksChange(t *testing.T) {
	d, _, _ := start(t, "linear:2")
	l := d.Link("s1-s2")
	err := d.Do(topo.LinkAction{Link: "s1-s2", Way: topo.Forward, Change: topo.Change{Delay: ptr(time.Second)}})
	if err != nil || l.Spec(emu.Forward).Delay != time.Second || l.Spec(emu.Back).Delay != 0 {
		t.Errorf("%v: %+v %+v", err, l.Spec(emu.Forward), l.Spec(emu.Back))
	}
	// A jitter is at most the delay, which one way has and the other has not: neither changes.
	err = d.Do(topo.LinkAction{Link: "s1-s2", Change: topo.Change{Jitter: ptr(time.Millisecond), Loss: ptr(0.5)}, Up: ptr(false)})
	if err == nil || l.Spec(emu.Back).Loss != 0 || l.Spec(emu.Forward).Loss != 0 || l.Cut() {
		t.Errorf("%v: %+v %+v", err, l.Spec(emu.Forward), l.Spec(emu.Back))
	}
	narrow := topo.LinkAction{Link: "s1-s2", Change: topo.Change{MTU: ptr(1500)}}
	text := Describe(d.Network().Topology(), narrow)
	if err := d.Do(narrow); err != nil || l.Spec(emu.Back).MTU != 1500 || text != "link s1-s2 mtu=1500" {
		t.Errorf("%s: %v: %+v", text, err, l.Spec(emu.Back))
	}
	if err := d.Do(topo.LinkAction{Link: "s1-s2", Up: ptr(false)}); err != nil || l.Up() {
		t.Errorf("%v: the link is up", err)
	}
	if err := d.Do(topo.LinkAction{Link: "h1-s1", Up: ptr(false)}); err != nil || d.Host("h1").Link().Up() {
		t.Errorf("%v: the host's link is up", err)
	}
	if err := d.Do(topo.LinkAction{Link: "s1-s9", Up: ptr(false)}); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

func TestSwitchesAndPortsChange(t *testing.T) {
	d, h, _ := start(t, "linear:3")
	n := d.Network()
	one := func(a topo.Action) {
		t.Helper()
		if err := d.Do(a); err != nil {
			t.Fatal(err)
		}
	}
	one(topo.PortAction{At: topo.End{Switch: 1, Port: 1}})
	if p, ok := n.Switches()[1].Port(1); !ok || p.Up || p.Carrier || p.Link.ID != "s1-s2" {
		t.Errorf("%+v", p)
	}
	one(topo.SwitchAction{Switch: 2, Lying: ptr(true), Slow: ptr(time.Millisecond)})
	if n.Switches()[2].Misbehaviour() != IgnoreFlowMods || n.Switches()[2].Controls()[0].Slow != time.Millisecond {
		t.Error("s3 is honest and quick")
	}
	one(topo.SwitchAction{Switch: 2, Lying: ptr(false), Slow: ptr(time.Duration(0))})
	if n.Switches()[2].Misbehaviour() != (emu.Misbehaviour{}) {
		t.Error("s3 lies")
	}
	one(topo.SwitchAction{Switch: topo.All, Stalled: ptr(true)})
	for _, sw := range n.Switches() {
		if !sw.Controls()[0].Stalled {
			t.Error(sw.Name(), "is not stalled")
		}
	}
	one(topo.SwitchAction{Switch: topo.All, Stalled: ptr(false)})
	one(topo.ControlAction{Switch: 0, Controller: h.Address, Up: ptr(false)})
	need.Await(t, "one is cut off", func() bool { return h.Switches() == 2 && n.Totals().Connected == 2 })
	if c := n.Switches()[0].Controls()[0]; !c.CutOff || c.Connected || c.Controller != h.Address {
		t.Errorf("%+v", c)
	}
	one(topo.ControlAction{Switch: 0, Up: ptr(true)})
	need.Await(t, "it comes back", func() bool { return n.Totals().Connected == 3 })
	one(topo.SwitchAction{Switch: 1, Down: ptr(true)})
	need.Await(t, "one has no power", func() bool { t := n.Totals(); return t.On == 2 && t.Connected == 2 && t.LinksUp == 0 })
	one(topo.SwitchAction{Switch: 1, Down: ptr(false)})
	need.Await(t, "it has power again", func() bool { return n.Totals().Connected == 3 })
	for _, a := range []topo.Action{topo.SwitchAction{Switch: 3}, topo.PortAction{At: topo.End{Switch: 3}},
		topo.ControlAction{Controller: "x"},
		topo.TrafficAction{From: 0, To: 9}} {
		if err := d.Do(a); !errors.Is(err, ErrUnknown) {
			t.Errorf("%+v: %v", a, err)
		}
	}
}

func TestHostsSend(t *testing.T) {
	d, _, _ := start(t, "linear:3")
	h1, h3 := d.Host("h1"), d.Host("h3")
	to, err := Address(h3, false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), need.Patience)
	defer cancel()
	ping, err := d.Begin(h1, to, topo.Traffic{Kind: "ping", Count: 3, Interval: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if o := ping.Await(ctx); !o.Done || o.Ping.Received != 3 || o.Ping.Lost != 0 {
		t.Errorf("%+v", o.Ping)
	}
	v6, err := Address(h3, true)
	if err != nil {
		t.Fatal(err)
	}
	udp, err := d.Begin(h1, v6, topo.Traffic{Kind: "udp", Count: 50, Rate: 10000, Pattern: "poisson", Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	udp.Await(ctx)
	need.Await(t, "all have arrived", func() bool { o := udp.Outcome(); return o.Sink != nil && o.Sink.Received == 50 })
	if got := d.Command(udp.Number); got != udp || d.Command(99) != nil || len(d.Commands()) != 2 {
		t.Errorf("commands %v", d.Commands())
	}
	tcp, err := d.Begin(h1, to, topo.Traffic{Kind: "tcp", Bytes: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	if o := tcp.Await(ctx); !o.Done || o.TCP.Acked != 100_000 || o.TCP.State != "closed" || o.Peer == nil ||
		o.Peer.Delivered != 100_000 || o.Peer.Misplaced != 0 {
		t.Errorf("%+v %+v", o.TCP, o.Peer)
	}
	endless, err := d.Begin(h1, to, topo.Traffic{Kind: "ping"})
	if err != nil {
		t.Fatal(err)
	}
	endless.Stop()
	if o := endless.Await(ctx); !o.Done {
		t.Error("a ping goes on after Stop")
	}
	for _, bad := range []topo.Traffic{{Kind: "smoke"}, {Kind: "udp"}, {Kind: "udp", Rate: 1, Pattern: "wild"},
		{Kind: "ping", Size: 1}} {
		if _, err := d.Begin(h1, to, bad); err == nil || !strings.HasPrefix(err.Error(), "host h1: ") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := d.Begin(h1, netip.Addr{}, topo.Traffic{Kind: "ping"}); err == nil {
		t.Error("a ping to nowhere")
	}
}

func TestOldCommandsGo(t *testing.T) {
	d, _, _ := start(t, "single:1")
	h := d.Host("h1")
	to := netip.MustParseAddr("10.9.9.9")
	first, err := d.Begin(h, to, topo.Traffic{Kind: "ping"})
	if err != nil {
		t.Fatal(err)
	}
	for range MaxCommands - 1 {
		if _, err := d.Begin(h, to, topo.Traffic{Kind: "ping"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Begin(h, to, topo.Traffic{Kind: "ping"}); !errors.Is(err, ErrBusy) {
		t.Fatal(err)
	}
	first.Stop()
	need.Await(t, "the first is done", func() bool { return first.Outcome().Done })
	if _, err := d.Begin(h, to, topo.Traffic{Kind: "ping"}); err != nil || d.Command(first.Number) != nil ||
		len(d.Commands()) != MaxCommands {
		t.Errorf("%v, %d commands", err, len(d.Commands()))
	}
}

func TestCaptures(t *testing.T) {
	d, _, _ := start(t, "linear:2")
	port, err := d.Capture("s1:2", "port.pcap", false)
	if err != nil {
		t.Fatal(err)
	}
	control, err := d.Capture("all", filepath.Join(t.TempDir(), "control.pcap"), false)
	if err != nil {
		t.Fatal(err)
	}
	to, _ := Address(d.Host("h2"), false)
	c, err := d.Begin(d.Host("h1"), to, topo.Traffic{Kind: "ping", Count: 2, Interval: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), need.Patience)
	defer cancel()
	c.Await(ctx)
	if err := d.Network().Switches()[0].Control().Disconnect(emu.AllControllers); err != nil {
		t.Fatal(err)
	}
	need.Await(t, "a new connection is captured", func() bool { return control.Counts().Frames > 5 })
	if err := port.Stop(); err != nil || !port.Ended() {
		t.Error(err)
	}
	if n := port.Counts().Frames; n < 6 { // ARP both ways, two requests, two answers
		t.Errorf("%d frames", n)
	}
	if _, err := d.Capture("s1:2", "port.pcap", false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v, want that the file exists", err)
	}
	if again, err := d.Capture("0000000000000001:2", "port.pcap", true); err != nil {
		t.Error(err)
	} else if again.Number != 4 {
		t.Errorf("number %d", again.Number)
	}
	for at, want := range map[string]string{"s9": "want SWITCH:PORT, SWITCH or all, such as s1:1",
		"s1:9": "want a port of s1, one of [1 2]", "s1:x": "want a port of s1", "": "want SWITCH:PORT"} {
		if _, err := d.Capture(at, "x.pcap", false); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", at, err)
		}
	}
	if err := d.Close(); err != nil || !control.Ended() {
		t.Error(err)
	}
	if _, err := d.Capture("s1", "y.pcap", false); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
}

// TestEventsHappen runs a schedule in real time, and waits for what it does.
func TestEventsHappen(t *testing.T) {
	d, _, lines := start(t, "linear:2")
	events, err := topo.ParseSchedule([]byte(`
- {at: 1ms, link: s1-s2, up: false}
- {at: 2ms, host: h1, ping: h2, count: 1}
- {at: 3ms, control: s1, controller: nobody, up: false}
- {at: 4ms, port: "s1:1", up: false, every: 1ms, times: 3}
- {at: 1000h, switch: all, down: true}
`), d.Network().Topology())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { defer close(done); d.Run(ctx) }()
	numbers := d.Add(events)
	want := []string{"link s1-s2 up=false", "host h1 ping h2",
		"control s1 nobody up=false: not done: controller nobody given: the network does not have it",
		"port s1:1 up=false", "port s1:1 up=false", "port s1:1 up=false"}
	need.Await(t, "all has happened", func() bool { return len(lines.all()) >= len(want) })
	if got := lines.all(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if d.Link("s1-s2").Up() || len(d.Commands()) != 1 {
		t.Error("the events did nothing")
	}
	if a := d.Schedule(); len(a) != 1 || a[0].Number != numbers[4] || a[0].Done != 0 {
		t.Errorf("%+v", a)
	}
	if !d.Cancel(numbers[4]) || d.Cancel(numbers[4]) || len(d.Schedule()) != 0 {
		t.Error("an event is not dropped once")
	}
	cancel()
	<-done
}

func TestAgenda(t *testing.T) {
	var a schedule
	up := func(at, every time.Duration, times int, id string) topo.Event {
		return topo.Event{At: at, Every: every, Times: times, Do: topo.LinkAction{Link: id}}
	}
	a.add([]topo.Event{up(5, 0, 0, "late"), up(1, 0, 0, "a"), up(1, 2, 3, "b"), up(1, 0, 0, "c")}, 100)
	var got []string
	for _, now := range []time.Duration{100, 101, 102, 103, 104, 110, 111, 200} {
		var ids []string
		for _, e := range a.due(now) {
			ids = append(ids, e.Do.(topo.LinkAction).Link)
		}
		next, ok := a.next()
		got = append(got, fmt.Sprint(now, ids, next, ok))
	}
	want := []string{"100 [] 101 true", "101 [a b c] 103 true", "102 [] 103 true", "103 [b] 105 true", "104 [] 105 true",
		"110 [late b] 0 false", "111 [] 0 false", "200 [] 0 false"}
	for i, w := range want {
		if strings.NewReplacer("ns", "", " 0s", " 0").Replace(got[i]) != w {
			t.Errorf("%s, want %s", got[i], w)
		}
	}
}
