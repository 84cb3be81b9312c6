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
		if sum := s.b.Crossing(netview.Point{DPID: 3}); kept || found != connected || sum.Leaving != 0 {
			t.Errorf("connected %v: the switch is kept: %v, what was found there: %v, %+v", connected, kept, found, sum)
		}
	}
}

// TestTreeWaitsForPairs: the tree takes in nothing that pairs have not applied.
func TestTreeWaitsForPairs(t *testing.T) {
	view := netview.New(netview.Limits{})
	b := New(Config{Domain: 1}, view.Desired(RowOwner))
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
	if !b.Waiting() {
		t.Error("it does not wait for a turn, and the view has changed")
	}
	b.Step(time.Time{})
	if rules() > 0 || b.Waiting() {
		t.Errorf("%d rules after a turn, waiting %v: pairs have not applied the change", rules(), b.Waiting())
	}
	b.Applied(view.Snapshot().Revision())
	if !b.Waiting() {
		t.Error("pairs have applied the change, and it does not wait for a turn")
	}
	if b.Step(time.Time{}); rules() == 0 {
		t.Error("no tree, though pairs have applied the change")
	}
}
