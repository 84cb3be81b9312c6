//go:build real

package flowsync

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// TestDriftIsRepaired has somebody delete and change a firm rule on a real Open vSwitch, again and
// again, and prints how long it takes from the beginning of ovs-ofctl until the rule is installed
// again, for each way of noticing. What a stranger writes besides is listed and left alone.
func TestDriftIsRepaired(t *testing.T) {
	ways := []struct {
		name   string
		config Config
		watch  Watch
		source Source
		change bool // the rule is changed, which flow-removed does not tell
	}{
		{"monitor, deleted", Config{}, WatchMonitor, SourceMonitor, false},
		{"monitor, changed", Config{}, WatchMonitor, SourceMonitor, true},
		{"flow-removed, deleted", Config{NoMonitor: true, ReadEvery: time.Hour}, WatchReading, SourceRemoved, false},
		{"reading every second, changed", Config{NoMonitor: true, ReadEvery: time.Second}, WatchReading, SourceReading, true},
	}
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, way := range ways {
			t.Run(v.String()+" "+way.name, func(t *testing.T) {
				netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
					way.config.LieWindow = time.Nanosecond // each loss is the first
					r := newRealSwitchWith(t, l, v, way.config)
					r.view.Desired("forward").Update(func(tx *netview.DesiredTx) { tx.Set(1, r.rules[:3]) })
					r.rules = r.rules[:3]
					r.agree("at first")
					if got := r.standing().Watch; got != way.watch {
						t.Fatalf("watched by %s, want %s", got, way.watch)
					}
					var took []time.Duration
					for i := range 10 {
						took = append(took, r.disturb(way.change, way.source, i))
					}
					slices.Sort(took)
					t.Logf("FIGURE %s %s: %s (%s – %s)", v, way.name, took[len(took)/2], took[0], took[len(took)-1])
					if watchesAll := way.watch == WatchMonitor; watchesAll {
						r.strangers()
					}
					r.checksOut(t)
				})
			})
		}
	}
}

func (r *realSwitch) standing() (s SwitchStatus) {
	r.loop.Ask(func(c *Core) { s, _ = c.Status(1) })
	return s
}

// disturb has somebody delete or change the first rule and waits until it is installed again.
func (r *realSwitch) disturb(change bool, by Source, nth int) time.Duration {
	r.t.Helper()
	what := "priority=5004,dl_dst=ff:ff:ff:ff:ff:ff" + r.table()
	before := r.counters().Drift[by]
	began := time.Now()
	if change {
		r.ofctl("--strict", "mod-flows", "s1", fmt.Sprintf("%s,actions=output:%d", what, 5+nth%3))
	} else {
		r.ofctl("--strict", "del-flows", "s1", what)
	}
	installedAgain := func() bool {
		return r.counters().Drift[by] > before && installed(r.view, 1) == len(r.rules)+len(Infrastructure(1, r.v, 254))
	}
	for !installedAgain() {
		if time.Since(began) > 20*time.Second {
			r.t.Fatalf("not repaired: %+v, counters %+v", r.standing(), r.counters())
		}
		time.Sleep(200 * time.Microsecond)
	}
	took := time.Since(began)
	if text := r.ofctl("dump-flows", "s1"); !strings.Contains(text, "priority=5004") ||
		strings.Contains(text, fmt.Sprintf("actions=output:%d\n", 5+nth%3)) {
		r.t.Fatalf("called installed, and is not:\n%s", text)
	}
	return took
}

// strangers writes entries of others, one above a rule of ours, and takes them away again.
func (r *realSwitch) strangers() {
	r.t.Helper()
	foreign := func(want int) func() bool {
		return func() (ok bool) {
			r.loop.Ask(func(c *Core) { _, n := c.Foreign(1); ok = n == want })
			return ok
		}
	}
	r.ofctl("add-flow", "s1", "priority=6000,cookie=0x5"+r.table()+",actions=drop")
	r.ofctl("add-flow", "s1", "priority=1,cookie=0x5,vlan_tci=0x1003/0x1fff"+r.table()+",actions=drop")
	r.lab.Eventually(10*time.Second, "foreign entries are listed as they come", foreign(2))
	report, ok := r.loop.Check(context.Background())
	if !ok || len(report.Switches) != 1 || report.Switches[0].Foreign != 2 || report.Switches[0].Shadowed != 1 {
		r.t.Errorf("foreign entries in the comparison: %+v", report)
	}
	r.ofctl("del-flows", "s1", "cookie=0x5/-1")
	r.lab.Eventually(10*time.Second, "foreign entries are forgotten as they go", foreign(0))
}

// checksOut compares, with nothing wrong, and then with something that nobody has noticed.
func (r *realSwitch) checksOut(t *testing.T) {
	t.Helper()
	report, ok := r.loop.Check(context.Background())
	if !ok || len(report.Switches) != 1 || report.Switches[0].Err != nil || len(report.Switches[0].Differences) > 0 ||
		report.Switches[0].Compared != len(r.rules)+len(Infrastructure(1, r.v, 254)) {
		t.Errorf("the comparison of a switch that agrees: %+v", report)
	}
	if r.standing().Watch != WatchReading {
		return
	}
	r.ofctl("--strict", "mod-flows", "s1", "priority=5002,arp"+r.table()+",actions=output:9")
	report, _ = r.loop.Check(context.Background())
	found := report.Switches[0].Differences
	repaired := r.counters().Drift[SourceReading] > 0
	if len(found) != 1 && !repaired || len(found) > 0 && found[0].Kind != DifferenceChanged {
		t.Errorf("the comparison of a switch that differs: %+v", report)
	}
	r.agree("after the comparison")
}
