package flowsync

import (
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// TestNothingIsWrittenWhileAnotherIsMaster: a switch that this instance may not write to is asked only,
// however long that lasts; what was in flight is found out by reading, and what is desired is
// written when the instance may write again, to what the other master has left there.
func TestNothingIsWrittenWhileAnotherIsMaster(t *testing.T) {
	w := newWorld(t, Config{NoMonitor: true})
	w.add(1, openflow.V13, 254, 1, 2)
	w.connect(1)
	w.talk()
	rules := []netview.Rule{parseRule(t, "table=1 priority=5002 eth_type=0x0806 apply=1")}
	w.want(1, "forward", rules...)
	w.turn() // in flight
	c := w.wires[1]
	if len(c.queue) == 0 {
		t.Fatal("nothing is in flight")
	}
	installed := func() (n int) {
		for r := range w.view.Snapshot().Rules(1) {
			if r.Owner == "forward" && r.State == netview.RuleInstalled {
				n++
			}
		}
		return n
	}
	w.loop.Mastered(c.at(), false)
	w.talk()
	sent := w.loop.core.Counters().FlowMods
	rules = append(rules, parseRule(t, "table=1 priority=5001 icmpv6_type=135 apply=1,2"))
	w.want(1, "forward", rules...)
	for range 10 {
		w.now = w.now.Add(w.loop.config.Answer)
		w.talk()
	}
	if n := w.loop.core.Counters().FlowMods - sent; n != 0 {
		t.Errorf("%d flow-mods while another instance is the master", n)
	}
	if s := w.loop.core.Statuses()[0]; !s.Connected || s.Stuck {
		t.Errorf("%+v", s)
	}
	for _, key := range w.models[1].keys() { // the other master has removed the first
		if key.priority == 5002 {
			delete(w.models[1].entries, key)
		}
	}
	w.loop.Mastered(c.at(), true)
	w.talk()
	if n := w.loop.core.Counters().FlowMods - sent; n != 2 || installed() != 2 {
		t.Errorf("%d flow-mods and %d rules installed by the new master, want 2", n, installed())
	}
}

// TestMasterAgainReportsAnew: what an instance reports of a switch that another is the master of, the view drops.
// When it is master again it reports the state of every rule there: of those that it has reported already, of
// those of which the other master has said otherwise, and of those of a switch that answers nothing.
func TestMasterAgainReportsAnew(t *testing.T) {
	w := newWorld(t, Config{NoMonitor: true, Instance: "a"})
	masters, other := w.view.Masters(), w.view.StatusFrom("b")
	masters.SetAll("a")
	w.add(1, openflow.V13, 254, 1, 2)
	w.connect(1)
	w.talk()
	find := func(r netview.Rule) *netview.Rule {
		for row := range w.view.Snapshot().Rules(1) {
			if row.Owner == "forward" && row.Priority == r.Priority {
				return row
			}
		}
		t.Fatalf("no rule of priority %d", r.Priority)
		return nil
	}
	state := func(r netview.Rule, want netview.RuleState, reason string) {
		t.Helper()
		row := find(r)
		if row.State != want || row.Reason != reason || row.Reporter != "a" {
			t.Errorf("priority %d: %s %q, says %q; want %s %q of a", r.Priority, row.State, row.Reason, row.Reporter,
				want, reason)
		}
	}
	says := func(r netview.Rule, as netview.RuleState) {
		row := find(r)
		other.Set([]netview.RuleResult{{Key: row.Key(), Rule: row, State: as}})
	}
	first := parseRule(t, "table=1 priority=5001 icmpv6_type=135 apply=1,2")
	second := parseRule(t, "table=1 priority=5002 eth_type=0x0806 apply=1")
	third := parseRule(t, "table=1 priority=5003 eth_type=0x0800 apply=2")
	w.want(1, "forward", first)
	w.talk()
	state(first, netview.RuleInstalled, "")

	at := w.wires[1].at()
	w.want(1, "forward", first, second)
	w.turn() // in flight
	masters.SetAll("b")
	w.talk() // it is confirmed, and the view takes no report
	w.loop.Mastered(at, false)
	w.talk()
	masters.SetAll("") // the view does not know whom to believe
	says(first, netview.RuleFailed)
	said := w.view.Snapshot().Revision()
	if w.talk(); w.view.Snapshot().Revision() != said {
		t.Errorf("who is not the master contradicts: %+v", find(first))
	}
	masters.SetAll("a")
	w.loop.Mastered(at, true)
	w.talk()
	state(first, netview.RuleInstalled, "")
	state(second, netview.RuleInstalled, "")

	w.want(1, "forward", first, second, third)
	w.turn() // in flight
	masters.SetAll("b")
	w.loop.Mastered(at, false)
	for range 10 { // nothing is answered
		w.now = w.now.Add(w.loop.config.Answer)
		w.turn()
	}
	if !w.loop.core.Statuses()[0].Stuck {
		t.Fatal("the switch is not stuck")
	}
	says(first, netview.RulePending)
	masters.SetAll("a")
	w.loop.Mastered(at, true)
	w.turn()
	state(first, netview.RuleFailed, netview.ReasonUnanswered)
	state(second, netview.RuleInstalled, "")
	state(third, netview.RuleFailed, netview.ReasonUnanswered)
	for range 3 { // it answers again
		w.now = w.now.Add(w.loop.config.RetryMax)
		w.talk()
	}
	for _, r := range []netview.Rule{first, second, third} {
		state(r, netview.RuleInstalled, "")
	}
}
