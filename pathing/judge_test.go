package pathing

import (
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// TestJudge: a path is left for one that costs less, not for one that costs the same; which costs count
// depends on why it is left.
func TestJudge(t *testing.T) {
	view := netview.New(netview.Limits{})
	view.Facts().Update(func(tx *netview.FactsTx) {
		for dpid := netview.DPID(1); dpid <= 4; dpid++ {
			sw := &netview.Switch{DPID: dpid, State: netview.SwitchReady, Connected: true}
			for p := range uint32(4) {
				sw.Ports = append(sw.Ports, netview.Port{Number: p + 1, Up: true, Role: netview.PortLink})
			}
			tx.PutSwitch(sw)
		}
		for _, l := range [][2]netview.Point{{{DPID: 1, Port: 1}, {DPID: 4, Port: 1}}, {{DPID: 1, Port: 2}, {DPID: 2, Port: 1}},
			{{DPID: 2, Port: 2}, {DPID: 4, Port: 2}}} { // 1-4, and 1-2-4; 3 is alone
			tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: l[0], Dst: l[1]}, Up: true, State: netview.LinkConfirmed})
			tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: l[1], Dst: l[0]}, Up: true, State: netview.LinkConfirmed})
		}
	})
	direct := netview.LinkKey{Src: netview.Point{DPID: 1, Port: 1}, Dst: netview.Point{DPID: 4, Port: 1}}
	j := Judge{Map: topology.Build(view.Snapshot())}
	flaps := Judge{Map: j.Map, Backoff: topology.Filter{Links: []netview.LinkKey{direct.Reverse()}}}
	for _, c := range []struct {
		name                string
		j                   Judge
		to                  netview.DPID
		cost                topology.Cost
		drained, suboptimal bool
	}{
		{"the best", j, 4, topology.Cost{Metric: 1}, false, false},
		{"a longer one", j, 4, topology.Cost{Metric: 2}, false, true},
		{"a longer one, while the best flaps", flaps, 4, topology.Cost{Metric: 2}, false, false},
		{"a much longer one, while the best flaps", flaps, 4, topology.Cost{Metric: 3}, false, true},
		{"over something that drains", j, 4, topology.Cost{Draining: 1, Metric: 1}, true, false},
		{"over something that drains, while the best flaps", flaps, 4, topology.Cost{Draining: 1, Metric: 1}, true, false},
		{"over an unconfirmed link", j, 4, topology.Cost{Unconfirmed: 1, Metric: 9}, false, false},
		{"to where no path leads", j, 3, topology.Cost{Draining: 1, Metric: 9}, false, false},
	} {
		if got := c.j.Drained(1, c.to, c.cost); got != c.drained {
			t.Errorf("%s: drained %t", c.name, got)
		}
		if got := c.j.Suboptimal(1, c.to, c.cost); got != c.suboptimal {
			t.Errorf("%s: suboptimal %t", c.name, got)
		}
	}
}
