package discovery

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// TestFormerSelvesAreLetGo: of a switch that gets one datapath id after the other, whose former
// ones are forgotten, no more than the last three are in memory.
func TestFormerSelvesAreLetGo(t *testing.T) {
	w := newWorld(t, Config{})
	w.quiet = true
	up := func(d netview.DPID) { w.step(func() { f := facts(d, 2, ""); w.core.SwitchUp(&f) }) }
	near, inherited := netview.Point{DPID: 1, Port: 1}, 0
	var all []weak.Pointer[inventory.Device]
	up(near.DPID)
	for d := netview.DPID(2); d < 12; d++ {
		far := netview.Point{DPID: d, Port: 1}
		w.join(near, far)
		up(d)
		w.wait(5 * time.Second)
		all = append(all, weak.Make(w.core.Devices[d]))
		if before := w.core.Devices[d].Predecessor; before != nil && before.DPID == d-1 {
			inherited++
		}
		if d > 2 {
			w.step(func() {
				if err := w.core.switches.forget(d - 1); err != nil {
					t.Fatal(err)
				}
			})
		}
		w.step(func() { w.core.SwitchDown(d) })
		delete(w.cables, far)
	}
	runtime.GC()
	kept := 0
	for _, p := range all {
		if p.Value() != nil {
			kept++
		}
	}
	if kept > 3 || inherited != len(all)-1 {
		t.Errorf("%d of %d are kept, want 3 at most; %d had the cable of the one before", kept, len(all), inherited)
	}
	runtime.KeepAlive(w)
}
