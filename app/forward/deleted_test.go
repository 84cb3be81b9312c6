package forward

import (
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// TestNothingStaysOfADeletedSwitch deletes a switch without a session from the view, in the middle
// of pairs between all hosts: no memory of it is left, and the others go on. One that has a session
// stays; what comes back is a new one.
func TestNothingStaysOfADeletedSwitch(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		n := newNetwork(t, 1, v, Config{})
		n.join(4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}})
		n.allPairs(t)
		gone := n.switches[3]
		del := func() {
			n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(3) })
			for range 5 { // seconds, in which what was left is deleted
				n.settle()
			}
		}
		n.disconnect(gone)
		n.settle()
		del()
		f := n.f
		if f.switches.get(3) != nil || len(f.switches.all()) != 3 {
			t.Errorf("%v: the switch is kept: %d switches", v, len(f.switches.all()))
		}
		for _, p := range f.paths.All() {
			if p.IndexOf(3) >= 0 {
				t.Errorf("%v: a path passes it: %v", v, p.Hops)
			}
		}
		if len(f.retired.list) != 0 {
			t.Errorf("%v: kept: %d paths that were left", v, len(f.retired.list))
		}
		at := netview.Point{DPID: 3}
		if p, q := f.Crossing(at), n.b.Crossing(at); p.Pairs+p.Bound+q.Leaving != 0 {
			t.Errorf("%v: %+v, %+v", v, p, q)
		}
		all := n.stations()
		n.arrives(t, all[0], all[1], "a pair that never passed it")
		n.arrives(t, all[3], all[1], "a pair that may have passed it")
	}
}

// TestADeletedSwitchThatIsConnectedStays deletes a switch that has connected again meanwhile.
func TestADeletedSwitchThatIsConnectedStays(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(2, [][2]int{{0, 1}})
	n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(2) })
	n.settle()
	if n.f.switches.get(2) == nil {
		t.Error("its session has no application any more")
	}
}
