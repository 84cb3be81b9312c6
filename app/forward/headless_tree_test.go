package forward

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// TestEndsOfLeavingLinkCutOff: both ends of a link that is taken out of the tree lose their
// connections before they are told. They go on forwarding along it: what is to take its place waits
// for one of them.
func TestEndsOfLeavingLinkCutOff(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for i := range 5 {
			n := newNetwork(t, 1, v, Config{})
			n.join(5, shapes["ring"].edges)
			at := n.linkPort(netview.DPID(i+1), netview.DPID((i+1)%5+1))
			ends := []*naive{n.switches[at.DPID], n.switches[n.cables[at].DPID]}
			n.drain(at)
			for n.follow() {
			}
			for _, sw := range ends {
				n.disconnect(sw)
			}
			n.settle()
			a := n.stations()[i]
			n.say(a, frame(packet.Broadcast, a.mac, packet.TypeARP, 1)) // fails the test if there is a storm
			n.settle()
			for _, sw := range ends {
				sw.entries = slices.DeleteFunc(sw.entries, func(e openflow.FlowMod) bool { return !n.wants(sw.id, &e) })
				n.reconnect(sw)
			}
			n.settle()
			for _, b := range n.stations() {
				b.take()
			}
			n.floodOnce(t, "after that", packet.Broadcast, packet.TypeARP)
		}
	}
}

// TestALinkThatStrayed: a probe that strayed has made a link, which is down, between two ports that
// have other links. The tree changes past it: broadcasts cannot loop through it.
func TestALinkThatStrayed(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, at := range [][3]netview.DPID{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}} {
			n := newNetwork(t, 1, v, Config{})
			n.join(3, [][2]int{{0, 1}, {1, 2}, {2, 0}})
			a, b, c := at[0], at[1], at[2]
			n.facts.Update(func(tx *netview.FactsTx) {
				key := netview.LinkKey{Src: n.linkPort(a, b), Dst: n.linkPort(c, b)}
				tx.PutLink(&netview.Link{LinkKey: key, State: netview.LinkUnconfirmed})
			})
			n.settle()
			n.drain(n.linkPort(a, c))
			n.settle()
			n.floodOnce(t, fmt.Sprintf("OpenFlow %s, a link of %d and %d that strayed", v, a, c), packet.Broadcast,
				packet.TypeARP)
		}
	}
}

// wants reports whether a switch is to have an entry in this place.
func (n *network) wants(id netview.DPID, e *openflow.FlowMod) bool {
	for r := range n.view.Snapshot().Rules(id) {
		if r.Table == e.Table && r.Priority == e.Priority && r.Match.Equal(e.Match) {
			return true
		}
	}
	return false
}
