package flowsync

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// TestInfrastructureForms: a switch that comes back in another form has the rules of this form, and one that is
// the same no change. What others desire there stays.
func TestInfrastructureForms(t *testing.T) {
	v := netview.New(netview.Limits{})
	own := v.Desired(Owner)
	v.Desired("other").Put(netview.Rule{DPID: 1, Priority: 7})
	var f infrastructure
	write := func(c InfrastructureRules) netview.Revision {
		return own.Update(func(tx *netview.DesiredTx) { c.write(tx) })
	}
	for _, form := range []struct {
		version openflow.Version
		tables  uint8
	}{{openflow.V13, 254}, {openflow.V10, 1}, {openflow.V13, 254}, {openflow.V13, 1}} {
		at := write(f.desire(1, 1, form.version, form.tables))
		if write(f.desire(1, 1, form.version, form.tables)) != at {
			t.Errorf("%v: the same again is a change", form)
		}
		var got, want []netview.RuleKey
		for r := range v.Snapshot().Rules(1) {
			if r.Owner == Owner {
				got = append(got, r.Key())
			}
		}
		for _, r := range Infrastructure(1, form.version, form.tables) {
			r.DPID = 1
			want = append(want, r.Key())
		}
		slices.SortFunc(want, netview.RuleKey.Compare)
		if !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", form, got, want)
		}
	}
	write(f.withdraw(1, 1))
	if rules := slices.Collect(v.Snapshot().Rules(1)); len(rules) != 1 || rules[0].Owner != "other" {
		t.Errorf("left are %v", rules)
	}
	if c := f.withdraw(1, 1); len(c.Withdrawn) > 0 {
		t.Errorf("withdrawn twice: %v", c)
	}
}

// TestASwitchHoldsFirmEntries: of a switch that is read first in a session it is said whether it held firm entries
// of ours, also where it has none of the tree.
func TestASwitchHoldsFirmEntries(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		w := newWorld(t, Config{})
		w.add(1, v, 254, 1, 2)
		w.connect(1)
		if w.talk(); w.holds {
			t.Errorf("OpenFlow %s: a new switch holds entries", v)
		}
		w.cut(1, 0)
		w.connect(1)
		if w.talk(); !w.holds {
			t.Errorf("OpenFlow %s: it holds nothing of %v", v, w.models[1].keys())
		}
		w.cut(1, 0)
		clear(w.models[1].entries)
		w.connect(1)
		if w.talk(); w.holds {
			t.Errorf("OpenFlow %s: a switch that has lost all holds entries", v)
		}
	}
}
