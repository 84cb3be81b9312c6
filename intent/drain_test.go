package intent

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// wantPassing asks the core, between two steps.
func (n *network) wantPassing(where netview.Point, leaving, ends, noOther int, first ...string) {
	n.t.Helper()
	p := n.engine.core.drainProgress(where)
	if p.Revision == 0 || p.Leaving != leaving || p.Ends != ends || p.NoOther != noOther || !slices.Equal(p.First, first) {
		n.t.Fatalf("at %v pass %+v, want %d that leave, %d with ends there, %d without another way, the first %v",
			where, p, leaving, ends, noOther, first)
	}
}

// TestPassing: what has rules at a switch, a port or a link's end: what leaves it counts until its
// rules are gone, what cannot is told apart.
func TestPassing(t *testing.T) {
	n := square(t)
	inputs := n.view.Inputs()
	reqs := []Request{
		{Op: Create, Spec: flow("from", at(2, 9), at(4, 9), 1)},
		{Op: Create, Spec: spec.Spec{ID: "fixed", Wide: true, Priority: 7, Kind: spec.Path,
			Hops: []topology.Hop{{DPID: 1, In: 9, Out: 1}, {DPID: 2, In: 1, Out: 2}, {DPID: 4, In: 1, Out: 9}}}},
	}
	for i := range 20 {
		reqs = append(reqs, Request{Op: Create, Spec: flow(fmt.Sprint("f", i), at(1, 9), at(4, 9), uint32(10+i))})
	}
	n.submit(false, reqs...)
	n.rest()
	over := 0 // of the twenty, those by switch 2
	for i := range 20 {
		if in, _ := n.engine.Get(fmt.Sprint("f", i)); in.Rules.Legs[0].Route.Hops[1].DPID == 2 {
			over++
		}
	}
	if over == 0 || over == 20 {
		t.Fatalf("%d of 20 by one switch of two", over)
	}
	inputs.Set(&netview.Settings{Switches: map[netview.DPID]netview.SwitchSettings{2: {Drained: true}}})
	n.step()
	if p := n.engine.core.drainProgress(at(2, 0)); p.Leaving != over {
		t.Fatalf("%+v: %d are to leave", p, over)
	}
	for range 4 { // the new paths are confirmed; the old rules are there still
		n.answer()
		n.step()
	}
	if p := n.engine.core.drainProgress(at(2, 0)); p.Leaving != over {
		t.Fatalf("%+v: the rules of %d are there still", p, over)
	}
	n.rest()
	n.wantPassing(at(2, 0), 0, 1, 1, "from", "fixed")
	n.wantPassing(at(2, 9), 0, 1, 0, "from")
	n.wantPassing(at(2, 1), 0, 0, 1, "fixed")
	n.wantPassing(at(3, 9), 0, 0, 0)
	n.off[2] = true
	n.submit(false, Request{Op: Withdraw, ID: "from"})
	n.step()
	n.wantPassing(at(2, 0), 1, 0, 1, "fixed")
	n.off[2] = false
	n.rest()
	n.wantPassing(at(2, 0), 0, 0, 1, "fixed")
}

// TestPassingBesideALostSwitch: what leaves a switch has left it when its rules there are gone,
// though others of the same path are at a switch that has no session; and an intent that is
// installed but for such a switch stays, and does not leave for ever.
func TestPassingBesideALostSwitch(t *testing.T) {
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: flow("old", at(2, 9), at(4, 9), 1)})
	n.rest()
	n.off[4] = true
	n.facts.Update(func(tx *netview.FactsTx) {
		old, _ := tx.Switch(4)
		lost := *old
		lost.Connected, lost.State = false, netview.SwitchDisconnected
		tx.PutSwitch(&lost)
	})
	n.submit(false, Request{Op: Withdraw, ID: "old"})
	n.step()
	n.wantPassing(at(2, 0), 1, 0, 0)
	n.rest()
	n.wantState("old", "withdrawing")
	n.wantPassing(at(2, 0), 0, 0, 0)
	n.wantPassing(at(4, 0), 1, 0, 0)
	n.submit(false, Request{Op: Create, Spec: flow("new", at(2, 9), at(4, 9), 2)})
	n.step()
	n.rest()
	n.wantState("new", "installing")
	n.wantPassing(at(2, 0), 0, 1, 0, "new")
	n.off[4] = false
	n.rest()
	n.wantPassing(at(4, 0), 0, 1, 0, "new")
}
