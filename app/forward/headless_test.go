package forward

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// A switch without a session forwards as before, and a cable to it flaps: nobody knows what is
// behind that port now, and what comes in there must not loop.
func TestFlapTowardsAHeadlessSwitchIsNoStorm(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for headless := range 3 {
			for which := range 2 {
				t.Run(fmt.Sprintf("%s/%d/%d", v, headless+1, which), func(t *testing.T) {
					n := newNetwork(t, 1, v, Config{})
					n.join(3, [][2]int{{0, 1}, {1, 2}, {2, 0}})
					x := n.switches[netview.DPID(headless+1)]
					entries := slices.Clone(x.entries)
					for _, port := range []uint32{2, 3}[which : which+1] {
						far := netview.Point{DPID: x.id, Port: port}
						near := n.cables[far]
						n.facts.Update(func(tx *netview.FactsTx) {
							for _, id := range []netview.DPID{x.id, near.DPID} {
								old, _ := tx.Switch(id)
								row := *old
								row.Ports = slices.Clone(old.Ports)
								if id == x.id {
									row.Connected, row.Settled, row.State = false, false, netview.SwitchDisconnected
									row.Ports[port-1].Role = netview.PortUnknown
								} else {
									row.Ports[near.Port-1].Role = netview.PortUnknown
								}
								tx.PutSwitch(&row)
							}
							for _, k := range []netview.LinkKey{{Src: near, Dst: far}, {Src: far, Dst: near}} {
								tx.PutLink(&netview.Link{LinkKey: k, Up: false, State: netview.LinkUnconfirmed})
							}
						})
						n.settle()
						x.entries = entries
						for _, h := range n.hosts {
							n.hops = 0
							n.say(h, frame(packet.Broadcast, h.mac, packet.TypeARP, 1))
						}
					}
				})
			}
		}
	}
}
