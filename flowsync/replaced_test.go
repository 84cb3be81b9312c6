package flowsync

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// TestReplacedStaleEntry: a stale entry that a foreign one replaces while a batch is in flight is forgotten, whatever
// audit ends meanwhile.
func TestReplacedStaleEntry(t *testing.T) {
	c := NewCore(Config{})
	now := time.Unix(0, 0)
	at := Address{1, 1}
	stale := parseRule(t, "table=1 priority=5003 eth_type=0x0806 apply=2")
	rule := parseRule(t, "table=1 priority=5002 eth_type=0x0806 apply=1")
	rule.DPID, rule.Owner, rule.State = 1, "forward", netview.RulePending
	step := func(in ...Input) *Ready { return c.Step(in, now) }
	step(Up{at, openflow.V13, 254})
	step(MonitorAnswer{at, nil})
	var r Reading
	c.config.classify(&r, &openflow.FlowStats{Table: stale.Table, Priority: stale.Priority, Cookie: stale.Cookie,
		Match: stale.Match, Instructions: stale.Instructions})
	step(Entries{Address: at, ID: 1, Reading: r})
	id := step(Rule{Rule: &rule}).Batches[0].ID
	step(Sent{Address: at, Frames: true, Barrier: true})
	foreign := Entry{Table: stale.Table, Priority: stale.Priority, Match: stale.Match,
		Cookie: plan.Cookie{Domain: 77, Kind: plan.KindTree}.Encode()}
	step(Changed{at, []Change{{Event: openflow.FlowAdded, Entry: foreign, Match: stale.Match.Key()}}})
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	aid := step(Check{1}).Readings[0].ID
	step(Entries{Address: at, ID: aid})
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	step(Confirmed{at, id, nil})
}

// TestManyForeignEntriesKeepTheirPlaces: entries of others are not overwritten, also those of which there are more than
// are kept; the place of one that goes is free.
func TestManyForeignEntriesKeepTheirPlaces(t *testing.T) {
	for _, offered := range []bool{false, true} {
		orders := func() (list []ruleset.Order) {
			for i := range 8 {
				list = append(list, parseOrder(t, 1, fmt.Sprintf("install intent=%d in=%d out=9", i+1, i+1)))
			}
			return list
		}
		first := newWorld(t, Config{Domain: 7})
		first.add(1, openflow.V13, 254, 1, 2, 3)
		first.connect(1)
		first.loop.Order(orders())
		first.talk()
		m := first.models[1]
		held := m.String()

		second := newWorld(t, Config{ForeignMax: 2, ReadEvery: 5 * time.Second})
		second.add(1, openflow.V13, 254, 1, 2, 3)
		m.monitor.offered = offered
		second.models[1] = m
		second.connect(1)
		second.talk()
		wrote := m.writes
		second.loop.Order(orders())
		second.talk()
		if m.writes != wrote {
			t.Errorf("monitor %t: entries of others were overwritten; before:\n%s\nnow:\n%s", offered, held, m)
		}
		if c := second.loop.core.switches[1].foreign.count(); c != 11 { // three rules of its infrastructure
			t.Errorf("monitor %t: %d entries of others are known", offered, c)
		}
		var gone []openflow.FlowMod
		for _, o := range orders() {
			var mod openflow.FlowMod
			o.Rules.Removal(0, 7, false, 0, &mod)
			gone = append(gone, mod)
		}
		for i := range gone[4:] {
			m.remove(&gone[4+i])
		}
		second.now = second.now.Add(time.Minute)
		second.talk()
		second.loop.Order(orders()[4:])
		second.talk()
		if m.writes != wrote+4 || second.loop.core.switches[1].foreign.count() != 7 {
			t.Errorf("monitor %t: %d were written in 4 free places, %d others are known:\n%s", offered, m.writes-wrote,
				second.loop.core.switches[1].foreign.count(), m)
		}
	}
}

// TestCountersAnew: a rule whose counters are to begin anew is written even where the switch has the same one of an earlier path
// version, and is what it says afterwards; another version of a rule that does the same is not written.
func TestCountersAnew(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		w := newWorld(t, Config{ReadEvery: 5 * time.Second})
		w.add(1, v, 254, 1, 2, 3)
		w.connect(1)
		w.talk()
		m := w.models[1]
		set := func(version uint16, anew bool) *ruleset.Set {
			s := ruleset.New(plan.KindTenant, plan.TenantOwner(3, 9), 7, ruleset.Leg{Route: &ruleset.Route{
				Hops: []*ruleset.Hop{ruleset.HopTo(1, 1, 2)}}})
			s.Version, s.Anew = version, anew
			return s
		}
		wrote := m.writes
		for _, x := range []struct {
			of     *ruleset.Set
			writes int
		}{{set(1, true), 1}, {set(2, true), 1}, {set(2, false), 0}, {set(3, true), 1}} {
			w.loop.Order([]ruleset.Order{{Rules: x.of}})
			w.talk()
			if wrote += x.writes; m.writes != wrote {
				t.Errorf("%s: for version %d (anew: %t) %d were written, want %d", v, x.of.Version, x.of.Anew, m.writes-wrote+x.writes,
					x.writes)
				wrote = m.writes
			}
		}
		w.now = w.now.Add(time.Minute) // an audit
		w.talk()
		if m.writes != wrote {
			t.Errorf("%s: an audit has %d written", v, m.writes-wrote)
		}
	}
}
