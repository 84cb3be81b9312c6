package flowsync

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// TestNothingStaysOfADeletedSwitch: removals at a switch that is deleted from the view while it has
// no session end at once, and of the switch nothing is kept.
func TestNothingStaysOfADeletedSwitch(t *testing.T) {
	w := newWorld(t, Config{})
	w.add(1, openflow.V13, 254, 1, 2)
	w.turn()
	w.connect(1)
	w.talk()
	w.settle(1)
	w.talk()
	install := parseOrder(t, 1, "install intent=1 in=1 out=2 ipv4_dst=10.0.0.1")
	w.loop.Order([]ruleset.Order{install})
	w.talk()
	w.cut(1, 0)
	w.turn()
	w.lines, w.loud = nil, true
	remove := install
	remove.Remove = true
	w.loop.Order([]ruleset.Order{remove})
	w.turn()
	if len(w.lines) != 0 || len(w.loop.core.switches) != 1 {
		t.Fatalf("a switch without a session: %d switches, said %q", len(w.loop.core.switches), w.lines)
	}
	w.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(1) })
	w.turn()
	if n := len(w.loop.core.switches) + len(w.loop.inbox.sessions) + len(w.loop.checks); n != 0 {
		t.Errorf("%d are kept", n)
	}
	if len(w.lines) != 4 || !strings.HasSuffix(w.lines[0], ": removed") { // and what flowsync itself wanted there is withdrawn
		t.Errorf("told: %q", w.lines)
	}
}
