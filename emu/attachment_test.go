package emu

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// world is an outside that keeps what it is told.
type world struct {
	mu       sync.Mutex
	frames   [][]byte
	carriers []bool
}

func (w *world) Deliver(frame []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frames = append(w.frames, append([]byte(nil), frame...))
}

func (w *world) Carrier(up bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.carriers = append(w.carriers, up)
}

func (w *world) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.frames)
}

// told are the carriers since the last call.
func (w *world) told() []bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.carriers
	w.carriers = nil
	return list
}

// attached runs a network of one switch and one host, whose port 2 leads to a world.
func attached(t *testing.T, b *boss, spec topo.LinkSpec) (*Network, *world, *Attachment) {
	n, err := New(Config{Topology: parse(t, "single:1"), Versions: []openflow.Version{openflow.V13},
		Controllers: []string{"c"}, stack: newStation,
		Dial: dialTo(map[string]*control{"c": serve(t, b, session.Config{})})})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{}
	a, err := n.Switches()[0].Attach(0, "tap1", spec, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNetwork(t, n) })
	return n, w, a
}

func TestAttachmentCarriesFramesBothWays(t *testing.T) {
	b := newBoss()
	n, w, a := attached(t, b, topo.LinkSpec{})
	b.tell(t, b.of(t, 1), forward(1, 2), forward(2, 1))
	h := n.Hosts()[0]
	const frames = 1000
	var list [][]byte
	for i := range frames {
		list = append(list, frameBetween(h, h, 60+i))
	}
	a.Send(list[:1])
	a.Send(list[1:])
	await(t, "the host has all frames", func() bool { return stationOf(h).count() == frames })
	for i, frame := range stationOf(h).heard {
		if !slices.Equal(frame, list[i]) {
			t.Fatalf("frame %d has %d bytes, want %d", i, len(frame), len(list[i]))
		}
	}
	for i := range frames {
		speak(h, h, 60+i)
	}
	await(t, "the world has all frames", func() bool { return w.count() == frames })
	for i, frame := range w.frames {
		if len(frame) != 60+i {
			t.Fatalf("frame %d has %d bytes, want %d", i, len(frame), 60+i)
		}
	}
	in, out, all := a.Link().Stats(Forward), a.Link().Stats(Back), n.Totals()
	if in.Sent != frames || out.Sent != frames || all.Delivered != 2*frames || all.Drops.Total() != 0 {
		t.Errorf("in %+v, out %+v, %+v", in, out, all)
	}
	if a.Link().ID != "tap1-s1" || n.Attachments()[0] != a || len(n.Switches()[0].Ports()) != 2 {
		t.Errorf("link %s, ports %v", a.Link().ID, n.Switches()[0].Ports())
	}
}

// TestAttachmentCarrier has either side see what becomes of the other, and nobody be told of what
// he did himself.
func TestAttachmentCarrier(t *testing.T) {
	b := newBoss()
	n, w, a := attached(t, b, topo.LinkSpec{})
	s1, sw := b.of(t, 1), n.Switches()[0]
	ask(t, s1, &openflow.BarrierRequest{})
	if got := w.told(); !slices.Equal(got, []bool{false, true}) {
		t.Fatalf("at the beginning the outside is told %v", got)
	}
	statuses := 0
	step := func(what string, do func(), up bool, told ...bool) {
		t.Helper()
		do()
		statuses++
		await(t, what+": the controller is told", func() bool { return len(b.statuses()) == statuses })
		p := b.statuses()[statuses-1]
		if p.Port.Number != 2 || isDown(p) == up || a.Link().Up() != up {
			t.Errorf("%s: %+v", what, p)
		}
		if got := w.told(); !slices.Equal(got, told) {
			t.Errorf("%s: the outside is told %v, want %v", what, got, told)
		}
	}
	step("pulled out", func() { a.Plug(false) }, false)
	a.Send([][]byte{frameBetween(n.Hosts()[0], n.Hosts()[0], 60)})
	if got := a.Link().Stats(Forward); got.Sent != 0 || got.Lost[LostOnDownLink] != 1 {
		t.Errorf("a frame over nothing: %+v", got)
	}
	step("plugged in", func() { a.Plug(true) }, true)
	step("cut", func() { a.Link().SetUp(false) }, false, false)
	step("mended", func() { a.Link().SetUp(true) }, true, true)
	step("broken", func() { _ = sw.SetPort(2, false) }, false, false)
	a.Plug(false)
	_ = sw.SetPort(2, true)
	if got := w.told(); !slices.Equal(got, []bool{true}) || a.Link().Up() {
		t.Errorf("mended while nobody is plugged in, the outside is told %v", got)
	}
	step("plugged in again", func() { a.Plug(true) }, true)
	sw.Down()
	if got := w.told(); !slices.Equal(got, []bool{false}) {
		t.Errorf("without power, the outside is told %v", got)
	}
}

func TestAttachRefuses(t *testing.T) {
	n, err := New(Config{Topology: parse(t, "linear:2"), stack: newStation})
	if err != nil {
		t.Fatal(err)
	}
	sw := n.Switches()[0]
	for _, c := range []struct {
		port uint32
		spec topo.LinkSpec
		want string
	}{
		{1, topo.LinkSpec{}, "attaching x: port 1 of s1 given, which is that of link s1-s2: want a free one, such as 3"},
		{2, topo.LinkSpec{}, "which is that of link h1-s1"},
		{1 << 20, topo.LinkSpec{}, "want from 1 to 65280"},
		{0, topo.LinkSpec{Loss: 2}, "a loss of 2 given"},
	} {
		if _, err := sw.Attach(c.port, "x", c.spec, &world{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("port %d: %v, want %q", c.port, err, c.want)
		}
	}
	for i, want := range []string{"x-s1", "x-s1.2", "x-s1.3"} {
		a, err := sw.Attach(uint32(9*i), "x", topo.LinkSpec{}, &world{}) // the lowest free one is 3
		if err != nil || a.Link().ID != want {
			t.Fatalf("%v, %v", a, err)
		}
	}
	if got := sw.Ports(); !slices.Equal(got, []uint32{1, 2, 3, 9, 18}) {
		t.Errorf("ports %v", got)
	}
	full, err := New(Config{Topology: parse(t, "single:1,hosts=1364"), stack: newStation})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := full.Switches()[0].Attach(0, "y", topo.LinkSpec{}, &world{}); err == nil ||
		!strings.Contains(err.Error(), "s1 has 1364 ports") {
		t.Errorf("one port too many: %v", err)
	}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Switches()[1].Attach(0, "late", topo.LinkSpec{}, &world{}); !errors.Is(err, ErrStarted) {
		t.Errorf("after the start: %v", err)
	}
	closeNetwork(t, n)
}

// TestFramesThatTheOutsideLosesAreCounted at the link's way out, by their cause.
func TestFramesThatTheOutsideLosesAreCounted(t *testing.T) {
	n, _, a := attached(t, newBoss(), topo.LinkSpec{})
	a.Lost(3)
	forward, back := a.Link().Stats(Forward), a.Link().Stats(Back)
	if total := n.Totals(); forward.Lost[LostAtDevice] != 0 || back.Lost[LostAtDevice] != 3 ||
		total.Drops[LostAtDevice] != 3 || LostAtDevice.String() != "device" {
		t.Errorf("%v, %v, in all %v", forward.Lost, back.Lost, total.Drops)
	}
}
