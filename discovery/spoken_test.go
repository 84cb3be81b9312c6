package discovery

import (
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
)

// TestSilentSessionIsNoEvidence: no probe is heard any more. While the session of one end receives nothing, the links stay;
// when both ends have said something, they go.
func TestSilentSessionIsNoEvidence(t *testing.T) {
	said := map[netview.DPID]uint64{}
	w := newWorld(t, Config{Received: func(d netview.DPID) uint64 { return said[d] }})
	w.quiet = true
	w.cables[netview.Point{DPID: 1, Port: 1}] = netview.Point{DPID: 2, Port: 1}
	w.cables[netview.Point{DPID: 2, Port: 1}] = netview.Point{DPID: 1, Port: 1}
	for d := range netview.DPID(2) {
		w.step(func() { f := facts(d+1, 2, ""); w.core.SwitchUp(&f) })
	}
	up := func() (n int) {
		for l := range w.view.Snapshot().Links() {
			if l.Up {
				n++
			}
		}
		return n
	}
	w.wait(5 * time.Second)
	if up() != 2 {
		t.Fatalf("%d links to begin with", up())
	}
	w.deaf = true
	for range 10 {
		said[1]++
		w.wait(10 * time.Second)
	}
	if up() != 2 {
		t.Errorf("switch 2 says nothing: %d links are left", up())
	}
	said[1]++
	said[2]++
	w.wait(10 * time.Second)
	if up() != 0 {
		t.Errorf("both switches have spoken: %d links are left", up())
	}
}
