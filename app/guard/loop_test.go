package guard

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// recorder is switches and an alarm board that write down what they are told.
type recorder struct {
	mu     sync.Mutex
	sent   []openflow.Message
	raised map[string]int
	clear  map[string]int
	asked  int
	gone   bool // there is no session
}

func (r *recorder) Send(_ uint64, _ int, messages ...openflow.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return errors.New("gone")
	}
	r.sent = append(r.sent, messages...)
	return nil
}

func (r *recorder) Meters(answer func([]openflow.MeterStats)) {
	r.asked++
	answer([]openflow.MeterStats{{Meter: plan.MeterProtectionFirst + 9}})
}

func (r *recorder) Raise(_ netview.AlarmKind, object, _ string) { r.raised[object]++ }
func (r *recorder) Clear(_ netview.AlarmKind, object string)    { r.clear[object]++ }

func (r *recorder) count(f func(openflow.Message) bool) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.sent {
		if f(m) {
			n++
		}
	}
	return n
}

func adds(m openflow.Message) bool {
	fm, ok := m.(*openflow.FlowMod)
	return ok && fm.Command == openflow.FlowAdd
}

func meters(c openflow.MeterModCommand) func(openflow.Message) bool {
	return func(m openflow.Message) bool {
		mm, ok := m.(*openflow.MeterMod)
		return ok && mm.Command == c
	}
}

// A flood through the loop: the reader's packets are shed within a step, rows and alarm follow, and
// all of it ends with the flood.
func TestLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		view := netview.New(netview.Limits{})
		row := &netview.Switch{DPID: 1, Connected: true, Version: openflow.V13, Tables: 8, Ports: []netview.Port{
			{Number: 1, Up: true, Role: netview.PortEdge}, {Number: 2, Up: true, Role: netview.PortEdge}}}
		view.Facts().Update(func(tx *netview.FactsTx) { tx.PutSwitch(row) })
		out := &recorder{raised: map[string]int{}, clear: map[string]int{}}
		g := New(Config{}, view, out)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { g.Run(ctx); close(done) }()
		gate := g.Attach(1, 1, openflow.V13, 8, out)
		flood := func(steps int) (let int) {
			for range steps {
				for range 5000 {
					if gate.Admit(1, false) {
						let++
					}
				}
				if !gate.Admit(2, false) {
					t.Fatal("the neighbour's packet was shed")
				}
				time.Sleep(interval)
			}
			return let
		}
		if let := flood(20); let > 15_000 || let < 5000 {
			t.Errorf("%d of 100000 packets let through", let)
		}
		if out.count(meters(openflow.MeterAdd)) != 1 || out.count(adds) < 2 ||
			out.raised["0000000000000001/1"] == 0 || len(out.raised) != 1 {
			t.Errorf("told %v, alarms %v", out.sent, out.raised)
		}
		time.Sleep(8 * time.Second)
		synctest.Wait()
		if out.clear["0000000000000001/1"] != 1 || out.count(meters(openflow.MeterDelete)) != 2 {
			t.Errorf("the flood is over, and %v were cleared, %d meters deleted", out.clear,
				out.count(meters(openflow.MeterDelete)))
		}
		if !gate.Admit(1, false) {
			t.Error("the port is still held")
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if out.asked != 1 || out.count(meters(openflow.MeterDelete)) != 3 {
			t.Errorf("meters of a previous instance: asked %d times, %d deleted", out.asked, out.count(meters(openflow.MeterDelete)))
		}
		g.Detach(gate)
		stop()
		<-done
	})
}

// Whatever switches and ports do, the core holds its bounds, never panics, and lets everything go
// in the end.
func FuzzCore(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Add([]byte{9, 9, 9, 9, 0x80, 0x81, 0x82, 0x90, 0xff, 0xfe, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, in []byte) {
		view := netview.New(netview.Limits{})
		facts := view.Facts()
		core := NewCore(Config{Limits: Limits{AtSwitch: 3, Guarded: 4}})
		now := time.Unix(0, 0)
		number := uint64(0)
		raised := map[netview.Point]bool{}
		step := func(events []Event, samples []Sample) {
			now = now.Add(interval)
			r := core.Step(events, samples, view.Snapshot(), now)
			for i := range r.Writes {
				if now.Nanosecond()%3 != 0 {
					core.Sent(&r.Writes[i])
				}
				number = r.Writes[i].Number
			}
			for _, a := range r.Alarms {
				if raised[a.At] = a.Raised; !a.Raised {
					delete(raised, a.At)
				}
			}
			if n := core.guarded(); n > 4 || len(raised) != n {
				t.Fatalf("%d ports held, %d alarms, at most 4 allowed", n, len(raised))
			}
		}
		for _, b := range in {
			at := netview.Point{DPID: netview.DPID(b >> 3 & 1), Port: uint32(b & 7)}
			var events []Event
			switch b >> 4 {
			case 0, 1:
				v := openflow.Version(1)
				if b&4 != 0 {
					v = openflow.V13
				}
				row := &netview.Switch{DPID: at.DPID, Connected: true, Version: v, Tables: b & 7}
				for p := range uint32(8) {
					row.Ports = append(row.Ports, netview.Port{Number: p, Up: b>>p&1 == 0, Role: netview.PortRole(p % 3)})
				}
				facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(row) })
				events = []Event{{DPID: at.DPID, Up: &Up{v, b & 7}}}
			case 2:
				events = []Event{{DPID: at.DPID, Down: true}}
			case 3:
				events = []Event{{DPID: at.DPID, Removed: &Removed{at.Port, openflow.RemovedHard, uint64(b) << 12, time.Second}}}
			case 4:
				events = []Event{{DPID: at.DPID, Refused: &Refused{number, int(b & 7), openflow.MeterModFailedOutOfMeters}}}
			}
			step(events, []Sample{{At: at, Data: uint64(b) << 6, Probes: uint64(b&15) << 8}})
		}
		for range 700 {
			step(nil, nil)
		}
		if len(core.ports) != 0 || core.guarded() != 0 {
			t.Fatalf("%d ports remembered, %d held, a minute after the end", len(core.ports), core.guarded())
		}
	})
}

// TestSessionsBefore: what was decided for the session before is not written to the next one, and the
// end of the older session does not end that.
func TestSessionsBefore(t *testing.T) {
	view := netview.New(netview.Limits{})
	row := &netview.Switch{DPID: 1, Connected: true, Version: openflow.V13, Tables: 8,
		Ports: []netview.Port{{Number: 1, Up: true, Role: netview.PortEdge}}}
	view.Facts().Update(func(tx *netview.FactsTx) { tx.PutSwitch(row) })
	first, second := new(recorder), new(recorder)
	g := New(Config{}, view, nil)
	now := time.Unix(0, 0)
	gate := g.Attach(1, 1, openflow.V13, 8, first)
	flood := []Sample{{At: netview.Point{DPID: 1, Port: 1}, Data: 1 << 20}}
	decided := g.core.Step(g.events, flood, view.Snapshot(), now)
	if len(decided.Writes) == 0 {
		t.Fatal("nothing is written against a flood")
	}
	g.Detach(gate)
	g.Attach(1, 2, openflow.V13, 8, second)
	g.execute(decided)
	if n := len(first.sent) + len(second.sent); n != 0 || len(g.core.switches[1].sent) != 0 {
		t.Errorf("%d messages of the session before were written", n)
	}
	g.core.Step([]Event{{DPID: 1, Epoch: 2, Up: &Up{openflow.V13, 8}}, {DPID: 1, Epoch: 1, Down: true}}, nil,
		view.Snapshot(), now.Add(interval))
	if d := g.core.switches[1]; d == nil || d.epoch != 2 {
		t.Errorf("the end of the session before ended the next one: %+v", d)
	}
	g.execute(g.core.Step(nil, flood, view.Snapshot(), now.Add(2*interval)))
	if len(first.sent) != 0 || len(second.sent) == 0 {
		t.Errorf("%d messages to the first session, %d to the second", len(first.sent), len(second.sent))
	}
}
