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
