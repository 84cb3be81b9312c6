package flowsync

import (
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// TestASessionLeavesNothingBehind ends sessions while there is as much of them as can be: what is left must be
// what holds of a switch that is not connected.
func TestASessionLeavesNothingBehind(t *testing.T) {
	c, now := NewCore(Config{BatchMax: 2}), time.Unix(0, 0)
	step := func(inputs ...Input) *Ready {
		t.Helper()
		ready := c.Step(inputs, now)
		c.mustHold(t)
		return ready
	}
	rule := parseRule(t, "table=1 priority=5000 eth_type=0x0806 apply=1")
	rule.DPID, rule.Owner = 1, "forward"
	stale, foreign := parseRule(t, "table=1 priority=5001 apply=1"), parseRule(t, "table=1 priority=5002 domain=9 apply=1")
	entry := func(i int) Entry {
		r := stale
		if i > 0 {
			r = foreign
		}
		return Entry{Table: r.Table, Priority: r.Priority, Cookie: r.Cookie, Match: r.Match, Instructions: r.Instructions}
	}
	first := Address{1, 1}
	step(Up{first, openflow.V13, 254}, MonitorAnswer{Address: first}, Rule{Rule: &rule}, Check{1})
	step(Changed{first, []Change{{Event: openflow.FlowAdded, Entry: entry(1), Match: foreign.Match.Key()}}})
	if n := len(c.switches[1].notices.deferred); n != 1 {
		t.Fatalf("%d changes are deferred during a reading, want 1", n)
	}
	if found := step(Down{Address: first}).Findings; len(found) != 1 || found[0].Err != errNoSession {
		t.Errorf("who waits for findings gets %+v", found)
	}

	second := Address{1, 2}
	orders := parseOrders(t, 1, "install priority=20000 in=1 out=2\ninstall priority=20000 in=2 out=1")
	id := step(Up{second, openflow.V13, 254}, Orders{orders}).Readings[0].ID
	ready := step(Entries{Address: second, ID: id, Reading: Reading{Ours: packedOf(entry(0)), Foreign: []Entry{entry(1)},
		ForeignCount: 3, Soft: []SoftEntry{{Table: 1, Priority: 9}}, SoftCount: 1}}, Check{1})
	sw, batch := c.switches[1], ready.Batches[0].ID
	step(Sent{Address: second, Frames: true, Barrier: true}, Refused{second, batch, 0,
		openflow.ErrorMsg{Code: openflow.FlowModFailedTableFull}}, Confirmed{second, batch, nil})
	if sw.batch.inflight == nil || len(sw.rules.failures.retries) == 0 ||
		sw.rules.count[classStale] == 0 || sw.foreign.count() == 0 {
		t.Fatalf("in flight %v, %d retries, %d stale, %d foreign", sw.batch.inflight, len(sw.rules.failures.retries),
			sw.rules.count[classStale], sw.foreign.count())
	}
	step(Down{Address: second})
	if c.leftover != 0 || c.listedBytes != 0 || c.readQueue.busy() {
		t.Errorf("left are %d entries, %d bytes, a place among those read: %t", c.leftover, c.listedBytes, c.readQueue.busy())
	}
}

// packedOf is a listing of entries of ours.
func packedOf(entries ...Entry) (p Packed) {
	for _, e := range entries {
		p.pack(&openflow.FlowStats{Table: e.Table, Priority: e.Priority, Cookie: e.Cookie, Match: e.Match,
			Instructions: e.Instructions}, nil)
	}
	return p
}
