package flowsync

import (
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// TestAwaitedRemovals: what a switch says of removals in flight, in their order, perhaps not of all, does not wait for a
// turn; all else that it says of rules is news.
func TestAwaitedRemovals(t *testing.T) {
	n := newNullNet()
	l, conn := n.loop, n.conns[0]
	list := at0(20)
	n.orderAll(list, false, 100)
	at := Address{0, l.inbox.sessions[0].epoch}
	removed := func(rule int, version uint16) (waits int) {
		t.Helper()
		r := list[rule].Rule(0, plan.DomainDefault, false)
		frame, err := openflow.Append(nil, openflow.V13, 0, &openflow.FlowRemoved{
			Cookie: r.Cookie + uint64(version), Priority: r.Priority, Table: r.Table, Match: r.Match,
			Reason: openflow.RemovedDelete})
		if err != nil || !l.RemovedFrame(at, openflow.V13, frame) {
			t.Fatalf("not taken: %v", err)
		}
		waits = len(l.inbox.inputs)
		l.inbox.inputs = nil
		return waits
	}
	news := func(what string, rules ...int) {
		t.Helper()
		for _, i := range rules {
			if removed(i, 0) == 0 {
				t.Errorf("%s: what the switch says of rule %d is dropped", what, i)
			}
		}
	}
	news("before a removal", 0)
	var orders []ruleset.Order
	for i := range 18 {
		orders = append(orders, ruleset.Order{Rules: list[i], Remove: true})
	}
	l.Order(orders)
	l.Step(l.config.Now())
	news("in flight, and not removed", 18)
	for _, i := range []int{0, 1, 3, 10} { // of 2 and 4 to 9 the switch held nothing
		if removed(i, 5) != 0 {
			t.Errorf("what follows from removal %d waits for a turn", i)
		}
	}
	news("in flight, and said before", 10, 2)
	answer := conn.barriers[0]
	conn.barriers = nil
	answer(nil)
	l.inbox.take(nil)
	news("confirmed", 11)
}

// TestTwoBatchesOfRemovals: while two batches are in flight what follows from either is known, in the order of each.
func TestTwoBatchesOfRemovals(t *testing.T) {
	var sums []removalSum
	for i := range 8 {
		sums = append(sums, newRemovalSum(uint32(i+1)<<20, 1))
	}
	var a awaitedRemovals
	takes := func(what string, of int, want bool) {
		t.Helper()
		if a.take(sums[of]) != want {
			t.Errorf("%s: removal %d follows from a batch: %t", what, of, !want)
		}
	}
	a.begin(1, sums[:3])
	a.begin(2, sums[3:6])
	takes("two in flight", 0, true)
	takes("two in flight", 1, true)
	takes("two in flight", 3, true)
	takes("said before", 1, false)
	takes("of none", 6, false)
	a.end(1)
	takes("the first is confirmed", 2, false)
	takes("the first is confirmed", 4, true)
	a.begin(3, sums[6:])
	takes("the next is sent", 5, true)
	takes("the next is sent", 6, true)
	a.end(2)
	a.end(3)
	takes("all are confirmed", 7, false)
}

// FuzzRemovalOf reads what a flow-removed is about from its bytes, as Parse does.
func FuzzRemovalOf(f *testing.F) {
	for _, set := range at0(3) {
		r := set.Rule(0, plan.DomainDefault, false)
		frame, err := openflow.Append(nil, openflow.V13, 0,
			&openflow.FlowRemoved{Cookie: r.Cookie, Priority: r.Priority, Table: r.Table, Match: r.Match})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(frame)
		f.Add(frame[:len(frame)-9])
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		oxm, priority, ok := openflow.FlowRemovedMatch(openflow.V13, frame)
		var m openflow.FlowRemoved
		if len(frame) < openflow.HeaderLen || m.Parse(openflow.V13, frame[openflow.HeaderLen:]) != nil {
			return
		}
		if !ok || priority != m.Priority || string(oxm) != string(m.Match.OXM) {
			t.Errorf("read as %t, priority %d, match %x, not %d, %x", ok, priority, oxm, m.Priority, m.Match.OXM)
		}
	})
}
