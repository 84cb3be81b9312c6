package forward

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// TestNoRuleOutlivesItsPair has a host go to a switch that its packets used to pass, so that it
// sends by a rule from the middle of a path, after or before the switch that knew the pair forgets
// it or is lost; and then has the one that it talks to go elsewhere.
func TestNoRuleOutlivesItsPair(t *testing.T) {
	for name, lose := range map[string]func(n *network, first *naive, move func()){
		"the switch where it entered is switched off and on": func(n *network, first *naive, move func()) {
			first.entries = nil
			first.d = n.f.Attach(first.id, nextEpoch(), n.version, 254, first)
			n.f.RulesListed(first.id, nil, true)
			n.rest()
			move()
		},
		"its first rule runs out before it is known to have gone": func(n *network, first *naive, move func()) {
			n.facts.Update(func(tx *netview.FactsTx) { // its port is down
				h, _ := tx.Host(netview.HostID{MAC: n.stations()[0].mac})
				row := *h
				row.State = netview.HostUnconfirmed
				tx.PutHost(&row)
			})
			n.settle()
			first.runOut()
			n.rest()
			move()
		},
		"its first rule runs out after it has gone": func(n *network, first *naive, move func()) {
			move()
			first.runOut()
		},
		"the switch where it entered is lost": func(_ *network, first *naive, move func()) {
			first.gone = true
			first.d.Detach(first)
			move()
		},
	} {
		for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
			t.Run(name+", "+v.String(), func(t *testing.T) {
				n := newNetwork(t, 1, v, Config{})
				n.join(3, [][2]int{{0, 1}, {1, 2}})
				all := n.stations()
				a, c := all[0], all[2]
				move := func(h *station, to netview.Point) {
					h.at = to
					n.facts.Update(func(tx *netview.FactsTx) {
						tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: h.mac}, At: to, State: netview.HostConfirmed})
					})
					n.settle()
				}
				n.arrives(t, a, c, "a path")
				lose(n, n.switches[1], func() { move(a, n.newPort(1)) })
				n.arrives(t, a, c, "from the middle of the path")
				move(c, n.newPort(1))
				n.arrives(t, a, c, "to where the host went")
			})
		}
	}
}

// TestARuleOutlivesAFullQueue: a switch's queue is full when a rule of a path that was left is to be deleted. It goes
// when there is room.
func TestARuleOutlivesAFullQueue(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(4, [][2]int{{0, 1}, {1, 2}, {1, 3}})
	all := n.stations()
	a, c := all[0], all[2]
	n.arrives(t, a, c, "before")
	n.rest()
	sw := n.switches[c.at.DPID]
	held := len(sw.entries)
	sw.clogged = true
	c.at = n.newPort(3)
	n.facts.Update(func(tx *netview.FactsTx) {
		tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: c.mac}, At: c.at, State: netview.HostConfirmed})
	})
	n.rest()
	if len(sw.entries) != held {
		t.Fatalf("%d entries, there were %d", len(sw.entries), held)
	}
	sw.clogged = false
	n.rest()
	n.softAgree(t)
}

// TestPairsRunOutByThemselves: where a host stays nothing is sent for a pair that nobody uses any
// more.
func TestPairsRunOutByThemselves(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(3, [][2]int{{0, 1}, {1, 2}})
	all := n.stations()
	n.arrives(t, all[0], all[2], "a path")
	sent := n.pairMods
	n.switches[1].runOut()
	n.rest()
	if n.pairMods != sent || n.pairCount() != 0 {
		t.Errorf("%d flow-mods were sent, %d pairs are left", n.pairMods-sent, n.pairCount())
	}
}

// runOut ends the rules of pairs that nobody uses.
func (s *naive) runOut() {
	ran := slices.Clone(s.entries)
	s.entries = slices.DeleteFunc(s.entries, func(e openflow.FlowMod) bool { return e.Priority == plan.PriorityPair })
	for _, e := range ran {
		if e.Priority == plan.PriorityPair && e.Flags&openflow.FlagSendFlowRemoved != 0 {
			s.d.FlowRemoved(&openflow.FlowRemoved{Cookie: e.Cookie, Match: e.Match, Reason: openflow.RemovedIdle})
		}
	}
}
