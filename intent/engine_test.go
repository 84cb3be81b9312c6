package intent

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// square is 1-2-4 and 1-3-4, with hosts' ports from 9 on.
func square(t testing.TB) *network {
	n := newNetwork(t, 4)
	n.cable(1, 1, 2, 1)
	n.cable(2, 2, 4, 1)
	n.cable(1, 2, 3, 1)
	n.cable(3, 2, 4, 2)
	return n
}

func TestLifeOfAnIntent(t *testing.T) {
	n := square(t)
	a := n.submit(false, Request{Op: Create, Spec: flow("a", at(1, 9), at(4, 9), 1)})
	if a[0].Status != Accepted || a[0].ID != "a" || a[0].Number != 1 || a[0].State != Submitted {
		t.Fatalf("answer %+v", a[0])
	}
	if got := n.step(); len(got) != 2 {
		t.Fatalf("%d orders before the ingress, want 2: %v", len(got), got)
	}
	n.wantState("a", "installing")
	n.answer()
	if got := n.step(); len(got) != 1 {
		t.Fatalf("%d orders of the ingress, want 1: %v", len(got), got)
	}
	n.answer()
	n.step()
	n.wantState("a", "installed")
	n.rest()
	n.checkWanted(t.Fatalf)
	if len(n.holds) != 3 {
		t.Fatalf("%d rules, want 3", len(n.holds))
	}
	if got := n.submit(false, Request{Op: Withdraw, ID: "a"}); got[0].Status != Accepted {
		t.Fatalf("answer %+v", got[0])
	}
	n.wantState("a", "withdrawing")
	n.rest()
	n.wantState("a", "none")
	if len(n.holds) != 0 || len(n.intent.live) != 0 || len(n.chosen.live) != 0 {
		t.Fatalf("left: %v, %v, %v", n.holds, n.intent.live, n.chosen.live)
	}
	if got := n.submit(false, Request{Op: Withdraw, ID: "a"}); got[0].Status != NotFound {
		t.Fatalf("answer %+v", got[0])
	}
}

func TestFailureReroutesAtOnce(t *testing.T) {
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: flow("a", at(1, 9), at(4, 9), 1)})
	n.rest()
	in, _ := n.engine.Get("a")
	via := in.Rules.Legs[0].Route.Hops[1].DPID
	n.put(link(1, uint32(via)-1, via, 1), false, netview.LinkConfirmed)
	if got := n.step(); len(got) != 3 {
		t.Fatalf("%d orders at once, want 3", len(got))
	}
	n.wantState("a", "rerouting")
	n.rest()
	n.wantState("a", "installed")
	n.checkWanted(t.Fatalf)
	n.put(link(1, 4-uint32(via), 5-via, 1), false, netview.LinkConfirmed)
	n.rest()
	n.wantState("a", "failed(no-path)")
	n.checkWanted(t.Fatalf)
	n.put(link(1, uint32(via)-1, via, 1), true, netview.LinkConfirmed)
	n.rest()
	n.wantState("a", "installed")
	n.checkWanted(t.Fatalf)
}

// TestRestartKeepsPaths: paths that left a link which has come back stay where they are over a
// restart. Whoever computes them anew has half of them on that link again.
func TestRestartKeepsPaths(t *testing.T) {
	n := square(t)
	for i := range uint32(20) {
		n.submit(false, Request{Op: Create, Spec: flow("f"+string(rune('a'+i)), at(1, 9), at(4, 9), i)})
	}
	n.rest()
	for _, up := range []bool{false, true} {
		n.put(link(1, 1, 2, 1), up, netview.LinkConfirmed)
		n.rest()
	}
	before, _ := n.engine.List(0, 100, nil)
	for _, in := range before {
		if hops := in.Rules.Legs[0].Route.Hops; len(hops) != 3 || hops[1].DPID != 3 {
			t.Fatalf("intent %d goes %v, want it to go by switch 3", in.Number, hops)
		}
	}
	n.wrote = 0
	n.start()
	n.rest()
	after, _ := n.engine.List(0, 100, nil)
	if n.wrote != 0 || len(before) != 20 {
		t.Fatalf("%d entries written after a restart of %d intents", n.wrote, len(before))
	}
	same := func(x, y Intent) bool {
		return x.Number == y.Number && x.ETag == y.ETag && y.State == Installed &&
			slices.EqualFunc(x.Rules.Legs[0].Route.Hops, y.Rules.Legs[0].Route.Hops,
				(*ruleset.Hop).Equal)
	}
	if !slices.EqualFunc(before, after, same) {
		t.Fatalf("before %v\nafter %v", before, after)
	}
	n.checkWanted(t.Fatalf)
	if a := n.submit(false, Request{Op: Create, Spec: flow("new", at(1, 9), at(4, 9), 99)}); a[0].Number != 21 {
		t.Fatalf("number %d", a[0].Number)
	}
}

// TestUpgradeKeepsPaths: paths that were chosen otherwise among equal ones, by an older version, are
// kept over the restart, over the wait-to-restore time, and when links elsewhere change.
func TestUpgradeKeepsPaths(t *testing.T) {
	const flows = 40
	n := square(t)
	for i := range uint32(flows) {
		n.submit(false, Request{Op: Create, Spec: flow(fmt.Sprint("f", i), at(1, 9), at(4, 9), i)})
	}
	n.rest()
	chosen := func() (by []netview.DPID) {
		list, _ := n.engine.List(0, 100, nil)
		for i := range list {
			by = append(by, list[i].Rules.Legs[0].Route.Hops[1].DPID)
		}
		return by
	}
	fresh := chosen()
	first, second := n.chosen.live[1], []byte(nil) // a decision by either switch
	for i, by := range fresh {
		if by != fresh[0] {
			second = n.chosen.live[uint32(i+1)]
		}
	}
	for i := range fresh { // each as it would not be chosen today
		n.chosen.live[uint32(i+1)] = first
		if fresh[i] == fresh[0] {
			n.chosen.live[uint32(i+1)] = second
		}
	}
	n.start()
	n.rest()
	old := chosen()
	for i := range old {
		if old[i] == fresh[i] || len(old) != flows {
			t.Fatalf("%d intents; number %d goes by %d, as it would today", len(old), i+1, old[i])
		}
	}
	n.wrote = 0
	n.start()
	n.rest()
	n.addSwitch(77)
	for _, up := range []bool{true, false, true} {
		n.put(link(77, 1, 1, 12), up, netview.LinkConfirmed)
		n.rest()
	}
	if now := chosen(); n.wrote != 0 || !slices.Equal(now, old) {
		t.Fatalf("%d entries written, paths by %v, want none and %v", n.wrote, now, old)
	}
}

func TestKinds(t *testing.T) {
	n := square(t)
	n.host(hostID(1), at(1, 9))
	ends := func(list ...netview.Point) (e []spec.End) {
		for _, p := range list {
			e = append(e, spec.End{Point: p})
		}
		return e
	}
	nowhere := flow("nowhere", at(1, 9), at(9, 9), 1)
	nowhere.Priority = 4
	n.submit(false,
		Request{Op: Create, Spec: spec.Spec{ID: "h2h", Kind: spec.HostToHost, Priority: 100,
			Src: []spec.End{{Host: hostID(1)}}, Dst: []spec.End{{Host: hostID(2)}}}},
		Request{Op: Create, Spec: spec.Spec{ID: "in", Wide: true, Kind: spec.MultipointToPoint, Priority: 1,
			Src: ends(at(1, 10), at(2, 10), at(3, 10), at(4, 11)), Dst: ends(at(4, 10))}},
		Request{Op: Create, Spec: spec.Spec{ID: "out", Wide: true, Kind: spec.PointToMultipoint, Priority: 2,
			Dst: ends(at(4, 12), at(2, 12), at(3, 12), at(1, 13)), Src: ends(at(1, 12))}},
		Request{Op: Create, Spec: spec.Spec{ID: "path", Wide: true, Kind: spec.Path, Priority: 3,
			Hops: []topology.Hop{{DPID: 1, In: 14, Out: 2}, {DPID: 3, In: 1, Out: 2}, {DPID: 4, In: 2, Out: 14}}}},
		Request{Op: Create, Spec: nowhere},
		Request{Op: Create, Spec: flow("noport", at(1, 9), at(4, 99), 2)},
	)
	n.rest()
	n.wantState("h2h", "waiting(host-unknown)")
	n.wantState("in", "installed")
	n.wantState("out", "installed")
	n.wantState("path", "installed")
	n.wantState("nowhere", "waiting(switch-unknown)")
	n.wantState("noport", "waiting(port-unknown)")
	n.host(hostID(2), at(4, 9))
	n.addSwitch(9)
	n.cable(9, 1, 4, 5)
	n.rest()
	n.wantState("h2h", "installed")
	n.wantState("nowhere", "installed")
	n.checkWanted(t.Fatalf)
	n.host(hostID(2), at(2, 9))
	n.rest()
	n.wantState("h2h", "installed")
	n.checkWanted(t.Fatalf)
	n.put(link(1, 2, 3, 1), false, netview.LinkConfirmed)
	n.rest()
	n.wantState("path", "failed(link-down)")
	for _, id := range []string{"h2h", "in", "out"} {
		n.wantState(id, "installed")
	}
	n.checkWanted(t.Fatalf)
	n.start()
	n.wrote = 0
	n.rest()
	if n.wrote != 0 {
		t.Errorf("%d entries written after a restart", n.wrote)
	}
	n.checkWanted(t.Fatalf)
}
