//go:build real

package flowsync

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// TestOpenvSwitchHoldsRuleSets is the rules of rule sets against a real ovs-vswitchd: installed,
// listed as they are desired, put back when somebody deletes or changes them, kept without a write
// over a reconnect, removed; what nobody ordered goes; a full table is told.
func TestOpenvSwitchHoldsRuleSets(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, monitor := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s monitor=%t", v, monitor), func(t *testing.T) {
				netlab.Inside(t, func(t *testing.T, l *netlab.Lab) { ruleSetsOnOVS(t, l, v, monitor) })
			})
		}
	}
}

// manyOrders are for n intents, each with addresses of its own; those for every third also have a
// second output, back to where packets came from.
func manyOrders(t *testing.T, n int, remove bool) (list []ruleset.Order) {
	for i := range n {
		out := "2"
		if i%3 == 0 {
			out = "1,3"
		}
		o := parseOrder(t, 1, fmt.Sprintf(
			"install intent=%d version=1 priority=20100 in=1 out=%s ipv4_src=10.1.%d.%d ipv4_dst=10.2.0.1", i+1,
			out, i/250, 1+i%250))
		o.Remove = remove
		list = append(list, o)
	}
	return list
}

func ruleSetsOnOVS(t *testing.T, l *netlab.Lab, v openflow.Version, monitor bool) {
	const n = 300
	told := newOutcomes()
	r := newRealSwitchWith(t, l, v,
		Config{OnOutcomes: told.add, NoMonitor: !monitor, ReadEvery: time.Second, LieWindow: time.Nanosecond})
	own := len(Infrastructure(1, v, 254))
	kind4 := func() int { return r.dump("priority=20100") }
	r.loop.Order(manyOrders(t, n, false))
	l.Eventually(15*time.Second, "all is installed", func() bool { return told.of(ruleset.Installed) == n })
	if got := kind4(); got != n {
		t.Fatalf("the switch lists %d entries, want %d", got, n)
	}
	r.agreesWithRuleSets(n + own)

	sent := r.counters()
	r.reconnect()
	if now := r.counters(); now.FlowMods != sent.FlowMods {
		t.Errorf("a reconnect wrote: %+v, before %+v", now, sent)
	}

	what := "priority=20100,ip,in_port=1,nw_src=10.1.0.7,nw_dst=10.2.0.1" + r.table()
	for i, spoil := range [][]string{{"del-flows", "s1", what}, {"mod-flows", "s1", what + ",actions=output:9"},
		{"add-flow", "s1", strings.Replace(what, "priority", "cookie=0x5,priority", 1) + ",actions=drop"}} {
		before := told.of(ruleset.Installed)
		if spoil[0] != "add-flow" {
			spoil = append([]string{"--strict"}, spoil...)
		}
		r.ofctl(spoil...)
		l.Eventually(15*time.Second, strings.Join(spoil, " ")+" is repaired",
			func() bool { return told.of(ruleset.Lost) == i+1 && told.of(ruleset.Installed) == before+1 })
	}
	r.agreesWithRuleSets(n + own)

	r.ofctl("add-flow", "s1", "cookie=0x0014000100000001,priority=20100,in_port=3,tcp"+r.table()+",actions=output:1")
	r.facts.Update(func(tx *netview.FactsTx) { tx.SetSettled() })
	r.reconnect()
	l.Eventually(15*time.Second, "what nobody ordered goes", func() bool { return kind4() == n })

	r.loop.Order(manyOrders(t, n, true))
	l.Eventually(15*time.Second, "all is removed", func() bool { return told.of(ruleset.Removed) == n })
	if got := kind4(); got != 0 {
		t.Errorf("%d entries are left", got)
	}
	r.fullTable(told)
}

// agreesWithRuleSets compares, and wants no difference.
func (r *realSwitch) agreesWithRuleSets(rules int) {
	r.t.Helper()
	report, ok := r.loop.Check(context.Background())
	if !ok || len(report.Switches) != 1 || report.Switches[0].Err != nil ||
		len(report.Switches[0].Differences) > 0 || report.Switches[0].Compared != rules {
		r.t.Errorf("the comparison, of %d rules: %+v", rules, report)
	}
}

// fullTable has the switch take no more entries.
func (r *realSwitch) fullTable(told *outcomes) {
	held := r.dump("cookie=")
	r.ovs.Vsctl("--", "--id=@t", "create", "Flow_Table", fmt.Sprintf("flow_limit=%d", held), "--", "set", "bridge",
		"s1", "flow_tables:0=@t", "flow_tables:1=@t")
	before := told.of(ruleset.Refused)
	r.loop.Order(manyOrders(r.t, 20+held, false))
	r.lab.Eventually(15*time.Second, "the rest is refused", func() bool { return told.of(ruleset.Refused) > before })
	told.mu.Lock()
	defer told.mu.Unlock()
	for _, o := range told.last {
		if o.Result == ruleset.Refused && (o.Code != openflow.FlowModFailedTableFull || !strings.HasSuffix(o.Reason, "_FULL")) {
			r.t.Errorf("refused: %+v", o)
		}
	}
}
