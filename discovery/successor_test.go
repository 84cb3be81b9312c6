package discovery

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
)

// renumber has the switch at the far end of 1/1 connect under another datapath id.
func (w *world) renumber(from, to netview.DPID) {
	a, b := netview.Point{DPID: 1, Port: 1}, netview.Point{DPID: to, Port: 1}
	clear(w.cables)
	w.join(a, b)
	if from != 0 {
		w.step(func() { w.core.SwitchDown(from) })
	}
	w.step(func() { f := facts(to, 3, ""); w.core.SwitchUp(&f) })
}

// TestIdentitiesThatChangeFast: the hosts of a switch that gets another datapath id, and another
// one again before it has settled, are asked at the last, though none of them was ever seen under
// the one between; and so are they when it gets the first one back in between.
func TestIdentitiesThatChangeFast(t *testing.T) {
	for _, ids := range [][]netview.DPID{{2, 3, 4}, {2, 3, 4, 5, 6}, {2, 3, 2, 4}, {2, 3, 4, 3, 5}, {2, 3, 4, 2, 3}} {
		w := newWorld(t, Config{})
		w.quiet = true
		w.step(func() { f := facts(1, 2, ""); w.core.SwitchUp(&f) })
		w.renumber(0, ids[0])
		w.wait(5 * time.Second)
		w.speak(netview.Point{DPID: ids[0], Port: 3}, 7)
		last := ids[len(ids)-1]
		w.lives[hostID(7)] = netview.Point{DPID: last, Port: 3}
		for i := range ids[1:] {
			w.renumber(ids[i], ids[i+1])
			w.wait(200 * time.Millisecond)
		}
		w.wait(10 * time.Second)
		if h, ok := w.view.Snapshot().Host(hostID(7)); !ok || h.At != w.lives[hostID(7)] {
			t.Errorf("%v: the host is %+v, want it at %v", ids, h, w.lives[hostID(7)])
		}
	}
}

// TestNothingStaysOfIdentities: a switch that gets another datapath id again and again leaves
// nothing behind when the old ones are forgotten, in whatever order.
func TestNothingStaysOfIdentities(t *testing.T) {
	for _, backwards := range []bool{false, true} {
		w := newWorld(t, Config{})
		w.quiet = true
		w.step(func() { f := facts(1, 2, ""); w.core.SwitchUp(&f) })
		w.wait(2 * time.Second)
		var old []netview.DPID
		before := netview.DPID(0)
		for dpid := netview.DPID(100); dpid < 120; dpid++ {
			w.renumber(before, dpid)
			w.wait(5 * time.Second)
			old, before = append(old, dpid), dpid
		}
		last := old[len(old)-1]
		old = old[:len(old)-1]
		if backwards {
			slices.Reverse(old)
		}
		for _, dpid := range old {
			w.step(func() {
				if err := w.core.switches.forget(dpid); err != nil {
					t.Errorf("switch %d: %v", dpid, err)
				}
			}) // which checks that nobody refers to it
		}
		if d := w.core.Devices[last]; len(w.core.Devices) != 2 || d.Predecessor != nil {
			t.Errorf("%d switches are known, and the last has taken the place of %v", len(w.core.Devices), d.Predecessor)
		}
		w.checkSeen()
	}
}
