package broadcast

import (
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// TestNothingStaysOfADeletedSwitch deletes a switch from the view: nothing of it is kept, but what was read
// of its tree if it has a session.
func TestNothingStaysOfADeletedSwitch(t *testing.T) {
	for _, connected := range []bool{false, true} {
		s := newMesh(5, 5)
		ports := TreePorts{Links: []uint32{2, 3}, Off: []uint32{3}}
		s.b.Inherit(3, ports)
		session := s.b.Attach(3, nil)
		if !connected {
			session.SwitchDown()
		}
		s.facts.Update(func(tx *netview.FactsTx) {
			tx.DeleteSwitch(3)
			for _, key := range s.cables {
				if key.Src.DPID == 3 || key.Dst.DPID == 3 {
					tx.DeleteLink(key)
					tx.DeleteLink(key.Reverse())
				}
			}
		})
		s.confirm()
		_, kept := s.b.core.net.switches[3]
		_, found := s.b.core.net.found[3]
		if sum := s.b.Crossing(netview.Point{DPID: 3}); kept || found != connected || sum.Leaving+sum.Bound != 0 {
			t.Errorf("connected %v: the switch is kept: %v, what was found there: %v, %+v", connected, kept, found, sum)
		}
	}
}

// TestTreeWaitsForPairs: with pairs, the tree takes in nothing that they have not applied; without, what the
// view has.
func TestTreeWaitsForPairs(t *testing.T) {
	for _, pairs := range []bool{false, true} {
		view := netview.New(netview.Limits{})
		b := New(Config{Domain: 1, Pairs: pairs}, view.Desired(RowOwner))
		rules := func() (n int) {
			for range view.Snapshot().Rules(1) {
				n++
			}
			return n
		}
		b.Applied(view.Snapshot().Revision())
		b.Follow(topology.NewSource(view))
		view.Facts().Update(func(tx *netview.FactsTx) {
			tx.PutSwitch(&netview.Switch{DPID: 1, Version: openflow.V13, Tables: 254, State: netview.SwitchReady,
				Connected: true, Settled: true, Ports: []netview.Port{{Number: 1, Up: true, Role: netview.PortEdge}}})
			tx.SetSettled()
		})
		rev := view.Snapshot().Revision()
		if !b.Waiting() {
			t.Error("it does not wait for a turn, and the view has changed")
		}
		b.Step(time.Time{})
		if pairs == (rules() > 0) || pairs == b.Waiting() {
			t.Errorf("pairs %v: %d rules after a turn, waiting %v", pairs, rules(), b.Waiting())
		}
		if pairs {
			b.Applied(rev)
			if !b.Waiting() {
				t.Error("pairs have applied the change, and it does not wait for a turn")
			}
			b.Step(time.Time{})
			if rules() == 0 {
				t.Error("no tree, though pairs have applied the change")
			}
		}
	}
}
