package forward

import (
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// TestPairsFollowAHostThatWasOutOfReach moves a host to where no path leads: its pairs follow when
// there is one again, whether they had a path or stayed within a switch.
func TestPairsFollowAHostThatWasOutOfReach(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		n := newNetwork(t, 1, v, Config{})
		n.join(3, [][2]int{{0, 1}, {1, 2}})
		all := n.stations()
		a, b, c := all[0], all[1], all[2]
		move := func(h *station, to netview.Point) {
			h.at = to
			n.facts.Update(func(tx *netview.FactsTx) { tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: h.mac}, At: to}) })
			n.settle()
		}
		island := n.newPlace() // at the last switch
		b.at, c.at = c.at, b.at
		move(b, b.at)
		move(c, c.at)
		n.arrives(t, a, c, "a path")
		n.arrives(t, b, c, "a path")
		move(b, netview.Point{DPID: c.at.DPID, Port: n.newPort(1).Port}) // within the switch of c
		n.arrives(t, b, c, "within a switch")
		hops, ok := n.f.InstalledPath(&netview.Host{HostID: netview.HostID{MAC: b.mac}, At: b.at},
			&netview.Host{HostID: netview.HostID{MAC: c.mac}, At: c.at})
		if want := (topology.Hop{DPID: b.at.DPID, In: b.at.Port, Out: c.at.Port}); !ok || len(hops) != 1 || hops[0] != want {
			t.Errorf("installed within a switch: %v %v, want %v", ok, hops, want)
		}
		n.cut(n.linkPort(2, 3), true)
		n.settle()
		move(c, island)
		n.cut(n.linkPort(2, 3), false)
		n.rest()
		n.arrives(t, a, c, "a path to where the host went")
		n.arrives(t, b, c, "a path from within a switch to where the host went")
	}
}
