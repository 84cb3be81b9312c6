package flowsync

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// TestLostWhileListed: a switch lists an entry, loses it, tells so, and only then sends the last
// part of its listing.
func TestLostWhileListed(t *testing.T) {
	f := newFleet(t)
	f.inputs = []Input{Rule{Rule: f.rules[0][0][0]}}
	f.stepAll()
	f.step(Up{Address{0, 1}, openflow.V13, 254})
	lost := f.rules[0][0][0]
	f.step(Removed{Address{0, 1}, lost.Table, lost.Priority, lost.Match.Key(), lost.Cookie, nil})
	if n := f.step(Entries{Address: Address{0, 1}, ID: f.core.switches[0].reading.id, Reading: f.held(0)}); n != 1 {
		t.Fatalf("%d messages, want the lost rule's", n)
	}
}

// TestEarlierSessionIsIgnored: what a session says after the next one has begun is about nothing
// that is in flight.
func TestEarlierSessionIsIgnored(t *testing.T) {
	c := NewCore(Config{})
	now := time.Unix(0, 0)
	rule := parseRule(t, "table=1 priority=5002 eth_type=0x0806 apply=1")
	rule.DPID, rule.Owner, rule.State = 1, "forward", netview.RulePending
	c.Step([]Input{Up{Address{1, 2}, openflow.V13, 254}, Rule{Rule: &rule}}, now)
	if r := c.Step([]Input{Entries{Address: Address{1, 1}, ID: 1}}, now); len(r.Batches) > 0 {
		t.Fatal("the listing of an earlier session was taken for this one's")
	}
	ready := c.Step([]Input{Entries{Address: Address{1, 2}, ID: 1}}, now)
	if len(ready.Batches) != 1 {
		t.Fatal("the listing was not taken")
	}
	batch := ready.Batches[0]
	c.Step([]Input{Sent{Address: Address{1, 2}, Frames: true, Barrier: true}}, now)
	if r := c.Step([]Input{Confirmed{Address{1, 1}, batch.ID, nil}}, now); len(r.Results) > 0 {
		t.Fatal("a barrier of an earlier session confirmed this one's batch")
	}
	full := openflow.ErrorMsg{Code: openflow.FlowModFailedTableFull}
	c.Step([]Input{Refused{Address{1, 1}, batch.ID, 0, full}, Down{Address{1, 1}, ""},
		Up{Address{1, 1}, openflow.V10, 1}}, now)
	r := c.Step([]Input{Confirmed{Address{1, 2}, batch.ID, nil}}, now)
	if len(r.Results) != 1 || r.Results[0].State != netview.RuleInstalled {
		t.Fatalf("the batch ended with %+v", r.Results)
	}
}

// TestReadsOursOnlyWhereAllIsTooMuch: a switch whose whole listing is refused or too large is asked
// for our entries.
func TestReadsOursOnlyWhereAllIsTooMuch(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		c := NewCore(Config{})
		now := time.Unix(0, 0)
		if r := c.Step([]Input{Up{Address{1, 1}, v, 254}}, now); len(r.Readings) != 1 || r.Readings[0].Mask != 0 {
			t.Fatalf("OpenFlow %s: first readings %+v", v, r.Readings)
		}
		r := c.Step([]Input{Entries{Address: Address{1, 1}, ID: 1, Err: errAnswer}}, now)
		r = c.Step([]Input{Tick{}}, r.Wake)
		if filtered := len(r.Readings) == 1 && r.Readings[0].Mask != 0; filtered != (v == openflow.V13) || len(r.Readings) != 1 {
			t.Errorf("OpenFlow %s: second readings %+v", v, r.Readings)
		}
	}
}

// TestRereads: a switch without a flow monitor is compared again, and what went unnoticed is put
// right.
func TestRereads(t *testing.T) {
	w := newWorld(t, Config{ReadEvery: time.Minute})
	w.add(1, openflow.V13, 254, 1)
	w.connect(1)
	w.talk()
	clear(w.models[1].entries)
	w.now = w.now.Add(time.Minute)
	w.talk()
	if n := len(w.models[1].entries); n != 3 {
		t.Fatalf("%d entries after a reading that found none, want 3", n)
	}
}

// TestForgetsSwitches: a switch that is gone from the view, and of which nothing is desired, leaves
// nothing behind.
func TestForgetsSwitches(t *testing.T) {
	w := newWorld(t, Config{})
	w.add(1, openflow.V13, 254, 1)
	w.connect(1)
	w.talk()
	w.cut(1, 0)
	w.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(1) })
	w.talk()
	w.talk()
	if n := len(w.loop.core.switches); n != 0 || w.loop.core.deadlines.Len() > 1 {
		t.Fatalf("%d switches remembered, %d deadlines", n, w.loop.core.deadlines.Len())
	}
}

// TestRuleTakesTheSoftEntrysPlace: a leftover soft entry that a rule replaces is not ours to remove
// any more.
func TestRuleTakesTheSoftEntrysPlace(t *testing.T) {
	for _, late := range []bool{false, true} {
		w := newWorld(t, Config{})
		w.add(1, openflow.V13, 254, 1)
		soft := parseRule(t, "table=1 priority=10000 kind=2 eth_dst=02:00:00:00:00:01 apply=1")
		firm := parseRule(t, "table=1 priority=10000 eth_dst=02:00:00:00:00:01 apply=1")
		w.models[1].put(&soft)
		if !late {
			w.want(1, "forward", firm)
		}
		w.connect(1)
		w.talk()
		w.want(1, "forward", firm)
		w.talk()
		if n := len(w.loop.core.Leftover(1)); n != 0 {
			t.Errorf("late %t: %d leftover soft entries", late, n)
		}
		w.change(1, func(sw *netview.Switch) { sw.Ports[0].Up = false })
		w.talk()
		if w.models[1].entries[keyOf(&firm)] == nil {
			t.Errorf("late %t: the rule was removed as if it were the soft entry", late)
		}
	}
}

// TestHoldsWhatTheSwitchSaysItsOwnWay: fields of an action that do not count, and the order of
// instructions, are no difference.
func TestHoldsWhatTheSwitchSaysItsOwnWay(t *testing.T) {
	w := newWorld(t, Config{})
	w.add(1, openflow.V13, 254, 1)
	rule := parseRule(t, "table=1 priority=5002 eth_type=0x0806 goto=2 apply=1")
	rule.Instructions[1].Actions[0].TTL = 9
	w.want(1, "forward", rule)
	w.connect(1)
	w.talk()
	before := w.models[1].writes
	w.cut(1, 0)
	w.talk()
	slices.Reverse(w.models[1].entries[keyOf(&rule)].Instructions)
	w.connect(1)
	w.talk()
	if wrote := w.models[1].writes - before; wrote != 0 {
		t.Errorf("%d writes for what is there already", wrote)
	}
}

// TestNoticesWhileListed: a flow monitor tells of a change after the switch made its listing, and
// before the listing is in.
func TestNoticesWhileListed(t *testing.T) {
	f := newFleet(t)
	f.inputs = []Input{Rule{Rule: f.rules[0][0][0]}}
	f.stepAll()
	f.step(Up{Address{0, 1}, openflow.V13, 254})
	f.step(MonitorAnswer{Address: Address{0, 1}})
	r := f.rules[0][0][0]
	changed := Entry{Table: r.Table, Priority: r.Priority, Cookie: r.Cookie, Match: r.Match,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(9))}}
	f.step(Changed{Address{0, 1}, []Change{{Event: openflow.FlowModified, Entry: changed, Match: r.Match.Key()}}})
	listing := f.core.switches[0].reading.id
	if n := f.step(Entries{Address: Address{0, 1}, ID: listing, Reading: f.held(0)}); n != 1 {
		t.Fatalf("%d messages, want the changed rule's", n)
	}
}

// TestForeignWhileOursOnlyAreRead: a flow monitor tells of others' entries where only ours could
// be read.
func TestForeignWhileOursOnlyAreRead(t *testing.T) {
	f := newFleet(t)
	f.step(Up{Address{0, 1}, openflow.V13, 254})
	f.step(MonitorAnswer{Address: Address{0, 1}})
	f.step(Entries{Address: Address{0, 1}, ID: f.core.switches[0].reading.id, Err: errAnswer})
	f.now = f.now.Add(time.Minute)
	f.step(Tick{})
	f.step(Changed{Address{0, 1}, []Change{{Event: openflow.FlowAdded, Entry: Entry{Table: 1, Priority: 7, Cookie: 5}}}})
	f.step(Entries{Address: Address{0, 1}, ID: f.core.switches[0].reading.id})
	if _, n := f.core.Foreign(0); n != 1 {
		t.Fatalf("%d entries of others, want 1", n)
	}
}
