package forward

import (
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// TestPacketsOnTheWayFindTheirRules: a packet is on a cable for seconds while its pair goes another
// way. The rules of the path that was left stay for twice its latency, so that it arrives; and no
// longer.
func TestPacketsOnTheWayFindTheirRules(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, latency := range []uint64{0, 1_000_000, 3_000_000, 8_000_000} { // microseconds, of each cable
			n := newNetwork(t, 1, v, Config{})
			n.join(4, [][2]int{{0, 1}, {1, 3}, {0, 2}, {2, 3}})
			all := n.stations()
			a, b := all[0], all[3]
			n.arrives(t, a, b, "a path")
			via, _ := n.f.InstalledPath(&netview.Host{HostID: netview.HostID{MAC: a.mac}, At: a.at},
				&netview.Host{HostID: netview.HostID{MAC: b.mac}, At: b.at})
			first, second := n.linkPort(1, via[1].DPID), n.linkPort(via[1].DPID, 4)
			n.takes(latency, first, second)
			n.wires, n.visits = make(map[netview.Point]*[]func()), make(map[string][]netview.DPID)
			n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 1))
			onTheWay := n.wires[first]
			delete(n.wires, first)
			n.drain(first)
			seconds := 2 * latency / 1_000_000 // that it takes over one cable: the other one's share as well, in the worst case
			for range 3 {
				for n.step() {
				}
			}
			for range seconds {
				n.f.Second()
				for n.step() {
				}
			}
			if onTheWay == nil || len(*onTheWay) != 1 {
				t.Fatal("no packet is on the way")
			}
			asked := n.packetIns()
			(*onTheWay)[0]()
			for n.step() {
			}
			if b.take() != 1 || n.packetIns() != asked {
				t.Errorf("OpenFlow %s, cables of %d µs: a packet that was on the way for %d s found no rule", v, latency, seconds)
			}
			for range 3 + 4*latency/1_000_000 {
				n.f.Second()
				for n.step() {
				}
			}
			n.wires = nil
			n.softAgree(t)
		}
	}
}

// takes gives the links at some cables' ends a latency, in microseconds.
func (n *network) takes(latency uint64, ends ...netview.Point) {
	n.facts.Update(func(tx *netview.FactsTx) {
		for _, from := range ends {
			for _, key := range []netview.LinkKey{{Src: from, Dst: n.cables[from]}, {Src: n.cables[from], Dst: from}} {
				old, _ := tx.Link(key)
				row := *old
				row.MeasuredUS = latency
				tx.PutLink(&row)
			}
		}
	})
	for n.follow() {
	}
}
