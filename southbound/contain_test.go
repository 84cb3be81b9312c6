package southbound

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// panics is a watcher that panics where it is told to.
type panics struct {
	watcher
	at string
}

func (p *panics) do(where string) {
	if p.at == where {
		panic(where)
	}
}

func (p *panics) SwitchUp(sw *Switch) Part {
	p.do("up")
	p.watcher.SwitchUp(sw)
	return p
}
func (p *panics) SwitchDown() { p.do("down"); p.watcher.SwitchDown() }
func (p *panics) Admit(port uint32, probe bool) bool {
	p.do("admit")
	return p.watcher.Admit(port, probe)
}
func (p *panics) PacketIn(in *Packet) bool            { p.do("packet"); return p.watcher.PacketIn(in) }
func (p *panics) BatchEnd()                           { p.do("batch") }
func (p *panics) FlowRemoved(m *openflow.FlowRemoved) { p.do("removal"); p.watcher.FlowRemoved(m) }

// TestContainment: an application that panics, wherever it is called, is not called again, is told of
// once, and disturbs neither the session nor the applications behind it.
func TestContainment(t *testing.T) {
	const seen = " sees a packet of 02:00:00:00:00:01"
	good := []string{"good up", "good" + seen, "good sees a removal", "good" + seen, "good down"}
	for at, want := range map[string][]string{
		"":        {"bad up", "bad" + seen, "bad sees a removal", "bad" + seen, "bad down"},
		"up":      nil,
		"admit":   {"bad up"},
		"packet":  {"bad up"},
		"batch":   nil,
		"removal": {"bad up", "bad" + seen},
		"down":    {"bad up", "bad" + seen, "bad sees a removal", "bad" + seen},
	} {
		synctest.Test(t, func(t *testing.T) {
			d, e := new(diary), new(diary)
			var failed []string
			c := NewContainment(func(why any, stack []byte) { failed = append(failed, fmt.Sprint(why)) })
			bad := &panics{watcher{name: "bad", diary: d}, at}
			g := southboundOf(t, c.App(bad), &watcher{name: "good", diary: e})
			dialer := session.NewDialer(session.Config{})
			s := connect(t, g, dialer, hub.Switch(5))
			for _, m := range []openflow.Message{packetIn(1, frame), &openflow.FlowRemoved{Cookie: 1}, packetIn(1, frame)} {
				if _, err := s.Send(m); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			s.Close(nil)
			<-s.Done()
			synctest.Wait()
			if got := e.take(); !slices.Equal(got, good) {
				t.Errorf("%s: behind it: %q, want %q", at, got, good)
			}
			got := d.take()
			if at == "batch" { // batches end before the first packet
				got = got[:0]
			}
			if !slices.Equal(got, want) && len(got)+len(want) > 0 {
				t.Errorf("%s: it is told %q, want %q", at, got, want)
			}
			if told := []string{at}; at != "" && !slices.Equal(failed, told) || at == "" && failed != nil {
				t.Errorf("%s: failures %q", at, failed)
			}
			dialer.Close(context.Background())
			g.Server.Close(context.Background())
		})
	}
}

// asks is an application that panics when it is answered in one way.
type asks struct {
	at  string
	out *Output
}

func (a *asks) Name() string { return "asks" }
func (a *asks) SwitchUp(sw *Switch) Part {
	a.out = sw.Output("asks", a)
	return a
}
func (a *asks) SwitchDown() {}
func (a *asks) Refused(*Refusal) {
	if a.at == "error" {
		panic(a.at)
	}
}

// TestContainedAnswers: an application that panics when it is answered, by an error, a barrier or counters,
// ends alone.
func TestContainedAnswers(t *testing.T) {
	for _, at := range []string{"error", "barrier", "answer", "part"} {
		synctest.Test(t, func(t *testing.T) {
			d := new(diary)
			var failed []string
			c := NewContainment(func(why any, _ []byte) { failed = append(failed, fmt.Sprint(why)) })
			bad := &asks{at: at}
			g := southboundOf(t, c.App(bad), &watcher{name: "good", diary: d})
			dialer := session.NewDialer(session.Config{})
			s := connect(t, g, dialer, refusesRules{5})
			if err := bad.out.FlowMod(addition()); err != nil {
				t.Fatal(err)
			}
			panicAt := func(where string) {
				if at == where {
					panic(where)
				}
			}
			if err := bad.out.Barrier(func(error) { panicAt("barrier") }); err != nil {
				t.Fatal(err)
			}
			answer := func(openflow.ReplyBody, error) { panicAt("answer") }
			if err := bad.out.Multipart(&openflow.DescRequest{}, answer); err != nil {
				t.Fatal(err)
			}
			part := func(openflow.Version, []byte) error { panicAt("part"); return nil }
			if err := bad.out.MultipartParts(&openflow.DescRequest{}, part, func(error) {}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Send(packetIn(1, frame)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if want := []string{"good up", "good sees a packet of 02:00:00:00:00:01"}; !slices.Equal(d.take(), want) {
				t.Errorf("%s: the other application is not told all", at)
			}
			if !slices.Equal(failed, []string{at}) {
				t.Errorf("%s: failures %q", at, failed)
			}
			dialer.Close(context.Background())
			g.Server.Close(context.Background())
		})
	}
}

// TestContainedPart: a part whose turn panics has no more of them, and its application ends with it.
func TestContainedPart(t *testing.T) {
	var failed []any
	turns, beats := 0, 0
	c := NewContainment(func(why any, _ []byte) { failed = append(failed, why) })
	p := &loop.Part{Turn: func() time.Time { turns++; panic("turn") }, Beats: 1, Beat: func() { beats++ }}
	c.Part(p)
	now := time.Unix(100, 0)
	for range 3 {
		p.Step(now)
		now = now.Add(time.Second)
	}
	if turns != 1 || beats != 0 || !slices.Equal(failed, []any{"turn"}) {
		t.Errorf("%d turns, %d beats, failures %v", turns, beats, failed)
	}
	if c.App(idle{}).SwitchUp(nil) != nil {
		t.Error("it takes part in sessions")
	}
}

// TestBudgetOfContainment: a contained packet-in costs no allocation.
func TestBudgetOfContainment(t *testing.T) {
	need.NoRace(t)
	c := NewContainment(nil)
	n := new(counts)
	var h PacketHandler = containedPackets{c, n}
	if got := testing.AllocsPerRun(100, func() { h.PacketIn(nil) }); got != 0 || n.n == 0 {
		t.Errorf("%v allocations", got)
	}
}

// BenchmarkPacketHandler is a packet-in at an application, called as it is, and contained.
func BenchmarkPacketHandler(b *testing.B) {
	n := new(counts)
	for name, h := range map[string]PacketHandler{"direct": n, "contained": containedPackets{NewContainment(nil), n}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.PacketIn(nil)
			}
		})
	}
}
