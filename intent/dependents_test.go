package intent

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// TestDeletedSwitch deletes a switch without a session: intents with an end there wait, those that
// passed it take another way, what was being withdrawn there has been found before, and no way over
// the switch is in use.
func TestDeletedSwitch(t *testing.T) {
	n := square(t)
	n.host(hostID(1), at(1, 9))
	n.host(hostID(2), at(2, 10))
	n.put(link(1, 2, 3, 1), false, netview.LinkConfirmed) // by 1-2-4
	n.submit(false, Request{Op: Create, Spec: flow("enters", at(2, 9), at(4, 9), 1)},
		Request{Op: Create, Spec: flow("leaves", at(1, 9), at(2, 9), 2)},
		Request{Op: Create, Spec: flow("passes", at(1, 9), at(4, 9), 3)},
		Request{Op: Create, Spec: flow("elsewhere", at(3, 9), at(4, 9), 4)},
		Request{Op: Create, Spec: hostToHost("hosts", 1, 2)}, Request{Op: Create, Spec: flow("going", at(1, 10), at(4, 10), 5)})
	n.rest()
	n.put(link(1, 2, 3, 1), true, netview.LinkConfirmed)
	n.step()
	n.off[2] = true
	n.submit(false, Request{Op: Withdraw, ID: "going"})
	n.step()
	n.answer()
	n.wantState("going", "withdrawing")
	// What Engine.OnSwitch does, of an engine that is turned by hand.
	done := make(chan Dependents)
	go func() { d, _ := n.engine.SwitchDependents(2); done <- d }()
	var d Dependents
	for waiting := true; waiting; {
		select {
		case d = <-done:
			waiting = false
		default:
			n.engine.Step(time.Time{})
		}
	}
	if !slices.Equal(d.Ends, []string{"enters", "leaves", "hosts"}) ||
		!slices.Equal(d.Transit, []string{"passes"}) || !slices.Equal(d.Withdrawing, []string{"going"}) {
		t.Errorf("depending on the switch: %+v", d)
	}
	if d := n.engine.HostDependents(hostID(2)); !slices.Equal(d.Ends, []string{"hosts"}) {
		t.Errorf("depending on the host: %+v", d)
	}
	n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(2) })
	n.off[2] = false // flowsync says that what it is to remove there is removed
	n.rest()
	for id, want := range map[string]string{
		"enters": "waiting(switch-unknown)", "leaves": "waiting(switch-unknown)", "passes": "installed",
		"elsewhere": "installed", "hosts": "waiting(host-unknown)", "going": "none",
	} {
		n.wantState(id, want)
	}
	c := n.engine.core
	for path := range c.registry.All() {
		// others go when there are many
		if path.Touches(netview.Point{DPID: 2}) && (path.Used() || c.registry.HasRetiring(path)) {
			t.Errorf("a path over it is in use: %v", path.Route())
		}
	}
	if len(c.ports.last) != 3 || len(c.queue.uprooted)+len(c.progress.lost)+len(c.refusals.byNumber) != 0 {
		t.Errorf("kept: %d switches, %d, %d, %d", len(c.ports.last), len(c.queue.uprooted), len(c.progress.lost),
			len(c.refusals.byNumber))
	}
	n.submit(false, Request{Op: Withdraw, ID: "enters"}, Request{Op: Withdraw, ID: "leaves"})
	n.rest()
	n.wantState("enters", "none")
}

// TestDeletedSwitchOfFailed deletes a switch that no link leads to any more: intents with an end
// there had failed for want of a path, and wait from then on.
func TestDeletedSwitchOfFailed(t *testing.T) {
	n := square(t)
	n.host(hostID(1), at(1, 9))
	n.host(hostID(2), at(2, 10))
	n.submit(false, Request{Op: Create, Spec: flow("enters", at(2, 9), at(4, 9), 1)},
		Request{Op: Create, Spec: hostToHost("hosts", 1, 2)},
		Request{Op: Create, Spec: flow("elsewhere", at(3, 9), at(4, 9), 2)})
	n.rest()
	for _, l := range []netview.LinkKey{link(1, 1, 2, 1), link(2, 2, 4, 1), link(1, 2, 3, 1), link(3, 2, 4, 2)} {
		n.put(l, false, netview.LinkConfirmed)
	}
	n.rest()
	ids := []string{"enters", "hosts", "elsewhere"}
	for _, id := range ids {
		n.wantState(id, "failed(no-path)")
	}
	n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(2) })
	n.rest()
	for i, want := range []string{"waiting(switch-unknown)", "waiting(host-unknown)", "failed(no-path)"} {
		n.wantState(ids[i], want)
	}
	n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteHost(hostID(1)) })
	n.rest()
	n.wantState("hosts", "waiting(host-unknown)")
}

// TestEndsOfSpecs finds the switches at the ends of each kind.
func TestEndsOfSpecs(t *testing.T) {
	n := square(t)
	n.host(hostID(1), at(1, 9))
	several := spec.Spec{Kind: spec.PointToMultipoint, Src: []spec.End{{Point: at(1, 9)}},
		Dst: []spec.End{{Point: at(2, 9)}, {Point: at(4, 9)}}}
	known := hostToHost("", 1, 2) // of which one is known
	for want, s := range map[int]*spec.Spec{3: &several, 1: &known} {
		if got := endsOf(s, n.view.Snapshot()); len(got) != want {
			t.Errorf("%v: %v", s, got)
		}
	}
}
