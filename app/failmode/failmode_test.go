package failmode

import (
	"testing"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// TestAway: a switch is remembered as away, and for how long, if it held an entry of ours when its
// session ended, whoever's it was, and once; one that held nothing is not.
func TestAway(t *testing.T) {
	view := netview.New(netview.Limits{})
	now := time.Unix(1000, 0)
	w := New(view, alarm.New(view), func() time.Time { return now })
	rule := netview.Rule{Priority: 100, Cookie: plan.Cookie{Domain: 1, Kind: plan.KindInfrastructure}.Encode()}
	wanted, status := view.Desired("flowsync"), view.Status()
	hold := func(state netview.RuleState) {
		wanted.Update(func(tx *netview.DesiredTx) { tx.Set(1, []netview.Rule{rule}) })
		for r := range view.Snapshot().Rules(1) {
			status.Set([]netview.RuleResult{{Key: r.Key(), Cookie: r.Cookie, State: state}})
		}
	}
	down := func(dpid netview.DPID) { w.begin(dpid, nil).SwitchDown() }
	away := func(dpid netview.DPID, want time.Duration, was bool) {
		t.Helper()
		if d, ok := w.awayFor(dpid); ok != was || ok && d != want {
			t.Errorf("switch %d: %v, away %v; want %v, %v", dpid, ok, d, was, want)
		}
	}
	hold(netview.RulePending)
	down(1)
	away(1, 0, false) // its entry was not confirmed
	hold(netview.RuleInstalled)
	down(1)
	down(2)
	now = now.Add(time.Minute)
	away(1, time.Minute, true)
	away(1, 0, false) // it is back
	away(2, 0, false)
	down(1)
	w.Forget(1)
	away(1, 0, false)
}

// TestOlderThan: ages of ports are whole seconds, and may be unknown.
func TestOlderThan(t *testing.T) {
	const away = 10 * time.Second
	for age, want := range map[uint32]bool{5: false, 11: false, 12: false, 13: true, 1<<32 - 1: false} {
		if got := olderThan([]openflow.PortStats{{DurationSec: 1}, {DurationSec: age}}, away); got != want {
			t.Errorf("a port of %d s, away for %v: %v", age, away, got)
		}
	}
}
