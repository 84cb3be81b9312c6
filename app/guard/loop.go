package guard

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Output is the way to a switch in one session. Its methods do not block.
type Output interface {
	// Send queues messages, all or none. An error of the switch about one of them is told with the
	// number, and its index, which is that of the first for the first.
	Send(number uint64, index int, messages ...openflow.Message) error
	// Meters asks the switch for its meters' counters and calls answer once, on any goroutine. It may
	// never be called.
	Meters(answer func([]openflow.MeterStats))
}

// Guard is the loop around a Core. Run's goroutine owns the core; sessions' readers count in their
// gates and put what switches say about protection rows into the list of events. It ends with Run's
// context.
type Guard struct {
	loop.Part

	core   *Core
	now    func() time.Time
	view   *netview.View
	alarms alarm.Sink // told which ports flood; may be nil
	took   round

	mu     sync.Mutex
	gates  map[netview.DPID]*Gate
	events []Event
}

// New returns a guard that does nothing before Run. Alarms may be nil.
func New(cfg Config, view *netview.View, alarms alarm.Sink) *Guard {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	g := &Guard{core: NewCore(cfg), now: cfg.Now, took: round{at: cfg.Now()}, view: view,
		alarms: alarms, gates: make(map[netview.DPID]*Gate)}
	g.Part = loop.Part{Name: "guard", Beats: int(Every / beat.Every),
		Turn: func() time.Time { g.turn(); return g.took.at.Add(Every) }}
	return g
}

// Counts are what happened since the start.
func (g *Guard) Counts() *Counts { return &g.core.Counts }

// Attach returns the gate of a session that has connected. Sessions of one switch follow one
// another, with epochs that rise.
func (g *Guard) Attach(dpid netview.DPID, epoch uint64, version openflow.Version, tables uint8, out Output) *Gate {
	gate := newGate(dpid, epoch, out, g.core.cfg.Limits)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gates[dpid] = gate
	g.events = append(g.events, Event{DPID: dpid, Epoch: epoch, Up: &Up{version, tables}})
	return gate
}

// Detach ends a session.
func (g *Guard) Detach(gate *Gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gates[gate.dpid] == gate {
		delete(g.gates, gate.dpid)
		g.events = append(g.events, Event{DPID: gate.dpid, Epoch: gate.epoch, Down: true})
	}
}

// Removed takes a flow-removed message of a switch.
func (g *Guard) Removed(gate *Gate, m *openflow.FlowRemoved) {
	k := plan.Decode(m.Cookie)
	if k.Domain != g.core.cfg.Domain || k.Kind != plan.KindProtection {
		return
	}
	lived := time.Duration(m.DurationSec)*time.Second + time.Duration(m.DurationNsec)
	g.post(Event{DPID: gate.dpid, Epoch: gate.epoch,
		Removed: &Removed{Port: k.Owner, Reason: m.Reason, Packets: m.Packets, Lived: lived}})
}

// Refused takes the error of a switch about a message, by the number of its Write and its index there.
func (g *Guard) Refused(gate *Gate, number uint64, index int, m *openflow.ErrorMsg) {
	g.post(Event{DPID: gate.dpid, Epoch: gate.epoch, Refused: &Refused{number, index, m.Code}})
}

// post appends an event; switches may send as many as they like, so the list is bounded.
func (g *Guard) post(e Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.events) >= g.core.cfg.Limits.Events {
		g.core.Counts.Dropped.Add(1)
		return
	}
	g.events = append(g.events, e)
}

// round is what one turn has taken.
type round struct {
	at      time.Time // of the round
	gates   []*Gate   // in the order of their switches
	events  []Event
	samples []Sample
}

// Every is how often Turn is to be called.
const Every = interval

// turn handles the counts and events since the last one.
func (g *Guard) turn() {
	t := &g.took
	now := g.now()
	t.gates, t.samples = t.gates[:0], t.samples[:0]
	g.mu.Lock()
	t.events, g.events = g.events, t.events[:0]
	for _, gate := range g.gates {
		t.gates = append(t.gates, gate)
	}
	g.mu.Unlock()
	slices.SortFunc(t.gates, func(a, b *Gate) int { return cmp.Compare(a.dpid, b.dpid) })
	for _, gate := range t.gates {
		t.samples = gate.sample(t.samples)
	}
	g.execute(g.core.Step(t.events, t.samples, g.view.Snapshot(), now))
	for _, gate := range t.gates {
		if gate.limited || g.core.holdsAt(gate.dpid) {
			gate.setLimits(g.core.Held, now.Sub(t.at))
		}
	}
	clear(t.events)
	clear(t.gates)
	t.at = now
}

// execute does what the core decided.
func (g *Guard) execute(r *Ready) {
	for i := range r.Writes {
		w := &r.Writes[i]
		if gate := g.gateOf(w.At.DPID); gate != nil && gate.epoch == w.Epoch && gate.out.Send(w.Number, 0, w.Messages...) == nil {
			g.core.Sent(w)
		}
	}
	for _, dpid := range r.Clean {
		if gate := g.gateOf(dpid); gate != nil {
			gate.out.Meters(func(meters []openflow.MeterStats) {
				g.post(Event{DPID: dpid, Epoch: gate.epoch, Meters: meters})
			})
		}
	}
	if g.alarms == nil {
		return
	}
	for _, a := range r.Alarms {
		if a.Raised {
			g.alarms.Raise(netview.AlarmFlood, a.At.String(), a.Text)
		} else {
			g.alarms.Clear(netview.AlarmFlood, a.At.String())
		}
	}
}

// gateOf is the gate of a switch's present session, nil if it has none.
func (g *Guard) gateOf(dpid netview.DPID) *Gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.gates[dpid]
}
