package flowsync

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// newsSent is how many messages a hostile switch sends while the loop is busy.
const newsSent = 1_000_000

// TestUnsolicitedIsBounded has a switch tell a million things of each kind, beside one that loses a
// rule: what waits is bounded, the other's rule is put back, and the one that told so much is read.
func TestUnsolicitedIsBounded(t *testing.T) {
	m := openflow.Match{}
	m.SetUint(openflow.FieldInPort, 1)
	m.SetUint(openflow.FieldEthType, 0x0806)
	cookie := func(kind plan.Kind) uint64 {
		return plan.Cookie{Domain: plan.DomainDefault, Kind: kind, Owner: 1}.Encode()
	}
	gone := func(kind plan.Kind) *openflow.FlowRemoved {
		return &openflow.FlowRemoved{Table: 1, Priority: 9, Cookie: cookie(kind), Match: m}
	}
	update := &openflow.FlowUpdateList{Updates: []openflow.FlowUpdate{{Event: openflow.FlowAdded, Table: 1,
		Priority: 9, Cookie: cookie(plan.KindTree),
		Match: m, Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(2))}}}}
	of := map[string]func(w *wire){
		"rules of intents": func(w *wire) { w.removed(gone(plan.KindIntent)) },
		"other rules":      func(w *wire) { w.removed(gone(plan.KindTree)) },
		"errors":           func(w *wire) { w.loop.Refused(w.at(), 7, 0, &openflow.ErrorMsg{Data: make([]byte, 64)}) },
		"changes":          func(w *wire) { w.loop.Updates(w.at(), update) },
		"pauses":           func(w *wire) { w.loop.MonitorPaused(w.at(), true) },
	}
	for name, tell := range of {
		t.Run(name, func(t *testing.T) {
			need.OneGoroutine(t)
			w := newWorld(t, Config{UnsolicitedMax: 1 << 20, NoMonitor: true})
			for dpid := range netview.DPID(2) {
				w.add(dpid+1, openflow.V13, 254, 1, 2)
				w.connect(dpid + 1)
			}
			w.talk()
			l := w.loop
			for range newsSent {
				tell(w.wires[1])
			}
			for key, e := range w.models[2].entries {
				delete(w.models[2].entries, key)
				w.wires[2].removed(&openflow.FlowRemoved{Table: e.Table, Priority: e.Priority, Cookie: e.Cookie, Match: e.Match})
			}
			if n := waiting(l.inbox.inputs); l.inbox.unsolicitedBytes > l.config.UnsolicitedMax || n > l.config.UnsolicitedMax {
				t.Errorf("%d bytes wait, counted as %d, of at most %d", n, l.inbox.unsolicitedBytes, l.config.UnsolicitedMax)
			}
			w.talk()
			counts := l.core.Counters()
			if n := len(Infrastructure(plan.DomainDefault, openflow.V13, 254)); counts.Overflows != 1 ||
				len(w.models[2].entries) != n || counts.Repairs != uint64(n) {
				t.Errorf("missed %d times, %d repairs; the other switch holds %d", counts.Overflows, counts.Repairs,
					len(w.models[2].entries))
			}
			w.now = w.now.Add(l.config.RetryFirst)
			if w.turn(); l.inbox.unsolicitedBytes != 0 || l.core.Counters().Readings != counts.Readings+1 {
				t.Errorf("read %d times more; %d bytes are still held", l.core.Counters().Readings-counts.Readings,
					l.inbox.unsolicitedBytes)
			}
		})
	}
}

// waiting is what inputs take in memory.
func waiting(inbox []Input) (n int) {
	n = cap(inbox) * int(unsafe.Sizeof(inbox[0]))
	for _, in := range inbox {
		switch in := in.(type) {
		case *RemovedPacked:
			n += int(unsafe.Sizeof(*in)) + cap(in.Entries.bytes)
		case Removed:
			n += int(unsafe.Sizeof(in)) + len(in.Match)
		case Refused:
			n += int(unsafe.Sizeof(in)) + cap(in.Error.Data)
		case Changed:
			n += int(unsafe.Sizeof(in)) + cap(in.Changes)*int(unsafe.Sizeof(in.Changes[0]))
			for i := range in.Changes {
				e := &in.Changes[i].Entry
				n += len(in.Changes[i].Match) + cap(e.Match.OXM) + cap(e.Instructions)*int(unsafe.Sizeof(openflow.Instruction{}))
				for j := range e.Instructions {
					n += cap(e.Instructions[j].Actions) * int(unsafe.Sizeof(openflow.Action{}))
				}
			}
		case Paused:
			n += int(unsafe.Sizeof(in))
		default:
			panic(fmt.Sprintf("%T is not counted", in))
		}
	}
	return n
}

// TestUnsolicitedOfManyIsBounded has many switches tell as much as they can: all together hold no
// more than the limit and a little each, which none is kept from telling.
func TestUnsolicitedOfManyIsBounded(t *testing.T) {
	need.OneGoroutine(t)
	const switches = 64
	w := newWorld(t, Config{UnsolicitedMax: 1 << 20, NoMonitor: true})
	for i := range netview.DPID(switches) {
		w.add(i+1, openflow.V13, 254)
		w.connect(i + 1)
	}
	w.talk()
	var held []int
	for i := range netview.DPID(switches) {
		for range 1 << 16 {
			w.loop.Refused(w.wires[i+1].at(), 7, 0, &openflow.ErrorMsg{})
		}
		held = append(held, w.loop.inbox.sessions[i+1].unsolicitedBytes)
	}
	if w.loop.inbox.unsolicitedBytes > w.loop.config.UnsolicitedMax+switches*unsolicitedFloor ||
		slices.Min(held) < unsolicitedFloor {
		t.Errorf("%d bytes wait, of each switch %v", w.loop.inbox.unsolicitedBytes, held)
	}
	w.talk()
	if n := w.loop.core.Counters().Overflows; n != switches {
		t.Errorf("%d switches are read, not %d", n, switches)
	}
}
