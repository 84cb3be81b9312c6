package intent

import (
	"testing"
	"time"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// copies is an intent of several egresses.
func copies(id string, from netview.Point, to ...netview.Point) spec.Spec {
	s := flow(id, from, from, 1)
	s.Kind, s.Dst = spec.PointToMultipoint, nil
	for _, p := range to {
		s.Dst = append(s.Dst, spec.End{Point: p})
	}
	return s
}

// outOf tells which of some ports an intent's rule set leads to.
func (n *network) outOf(id string, ports ...netview.Point) (list []netview.Point) {
	in, _ := n.engine.Get(id)
	for _, p := range ports {
		for r := range in.Rules.Len() {
			_, hop := in.Rules.At(r)
			for _, out := range hop.Out() {
				if hop.DPID == p.DPID && out == p.Port {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// TestReplacedWhileBothWaysAreTaken: a content that comes while an intent goes by its old and its
// new branches is the one that holds in the end.
func TestReplacedWhileBothWaysAreTaken(t *testing.T) {
	x, y, z := at(2, 9), at(3, 9), at(4, 9)
	for name, c := range map[string]struct {
		answered bool // both ways are confirmed when it comes
		last     []netview.Point
	}{
		"another, before":  {false, []netview.Point{y, z}},
		"both, before":     {false, []netview.Point{x, y, z}},
		"another, between": {true, []netview.Point{y, z}},
		"both, between":    {true, []netview.Point{x, y, z}},
	} {
		t.Run(name, func(t *testing.T) {
			n := square(t)
			n.submit(false, Request{Op: Create, Spec: copies("a", at(1, 9), x, y)})
			n.rest()
			n.submit(false, Request{Op: Replace, Spec: copies("a", at(1, 9), x, z)})
			n.step()
			if ch := n.engine.core.entries.At(1).transition; ch == nil || ch.next == nil {
				t.Fatalf("no program between: %+v", ch)
			}
			for c.answered && !n.engine.core.entries.At(1).transition.done {
				n.answer()
				n.step()
			}
			n.submit(false, Request{Op: Replace, Spec: copies("a", at(1, 9), c.last...)})
			n.rest()
			n.wantState("a", "installed")
			if got := n.outOf("a", x, y, z); len(got) != len(c.last) || got[len(got)-2] != y {
				t.Errorf("it leads to %v, want %v", got, c.last)
			}
			n.checkWanted(t.Fatalf)
			if left := n.engine.core.transitions.interim; left != 0 {
				t.Errorf("%d changes with a next program left", left)
			}
		})
	}
}

// TestNotInstalledBetween: who waits for a replacement waits for both its steps, and a content of
// both branches ends the second.
func TestNotInstalledBetween(t *testing.T) {
	x, z := at(2, 9), at(4, 9)
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: copies("a", at(1, 9), x)})
	n.rest()
	n.submit(false, Request{Op: Replace, Spec: copies("a", at(1, 9), x, z)})
	n.rest()
	n.wantState("a", "installed")
	n.submit(false, Request{Op: Replace, Spec: copies("a", at(1, 9), z)})
	n.step()
	ch := n.engine.core.entries.At(1).transition
	if ch == nil || ch.next == nil {
		t.Fatalf("no program between: %+v", ch)
	}
	for !ch.done {
		n.wantState("a", "installing")
		n.answer()
		n.step()
	}
	n.wantState("a", "installing")
	for n.engine.core.entries.At(1).transition.next != nil {
		n.now = n.now.Add(100 * time.Millisecond)
		n.step()
	}
	n.wantState("a", "installing")
	n.rest()
	n.wantState("a", "installed")
	if got := n.outOf("a", x, z); len(got) != 1 || got[0] != z {
		t.Errorf("it leads to %v, want %v", got, z)
	}
	n.checkWanted(t.Fatalf)
}

// TestRefusedMoveKeepsNewContent: a content that comes while a drain moves an intent holds in the
// end, also where a switch refuses the move.
func TestRefusedMoveKeepsNewContent(t *testing.T) {
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: flow("a", at(1, 9), at(4, 9), 1)})
	n.rest()
	k, other := link(1, 1, 2, 1), netview.DPID(3)
	if in, _ := n.engine.Get("a"); in.Rules.Legs[0].Route.Hops[1].DPID == 3 {
		k, other = link(1, 2, 3, 1), 2
	}
	n.view.Inputs().Set(&netview.Settings{Links: map[netview.LinkKey]netview.LinkSettings{k: {Drained: true}}})
	if n.step(); n.engine.core.entries.At(1).transition == nil {
		t.Fatal("the drain moves nothing")
	}
	n.submit(false, Request{Op: Replace, Spec: flow("a", at(1, 9), at(4, 10), 1)})
	n.step()
	n.wantState("a", "installing")
	n.refuse = func(at ruleAt) string {
		if at.dpid == other {
			return "no room"
		}
		return ""
	}
	n.rest()
	n.wantState("a", "installed")
	if got := n.outOf("a", at(4, 9), at(4, 10)); len(got) != 1 || got[0].Port != 10 {
		t.Errorf("it leads to %v", got)
	}
	n.checkWanted(t.Fatalf)
}

// TestInstalledOnceReplaced: who waits for a content that came during a hitless transition is not
// answered when that transition ends, but when the content is installed.
func TestInstalledOnceReplaced(t *testing.T) {
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: flow("a", at(1, 9), at(4, 9), 1)})
	n.rest()
	n.submit(false, Request{Op: Replace, Spec: flow("a", at(1, 9), at(3, 9), 1)})
	n.step()
	n.submit(false, Request{Op: Replace, Spec: flow("a", at(1, 9), at(2, 9), 1)})
	n.step()
	_, number, w, _ := n.engine.catalog.wait("a", []State{Installed})
	for stage := 0; n.engine.core.entries.At(number).rules.Version < 3; stage++ {
		if stage > 10 {
			t.Fatal("the transition to the second content never ended")
		}
		n.answer()
		n.step()
	}
	if len(w.found) != 0 {
		t.Fatalf("answered with %v before the content is installed", (<-w.found).State)
	}
	n.rest()
	if len(w.found) != 1 {
		t.Fatal("not answered")
	}
	if in := <-w.found; in.State != Installed || in.Spec.Dst[0].Point != at(2, 9) {
		t.Errorf("answered with %v", in)
	}
}
