package discovery

import (
	"testing"
	"time"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/netview"
)

// TestUnansweredBarriersKeepNothing: of a switch that takes what it is sent and answers no barrier,
// the questions that were given up are not kept.
func TestUnansweredBarriersKeepNothing(t *testing.T) {
	w := newWorld(t, Config{})
	w.quiet = true
	w.settings(func(s *netview.Settings) { s.HostExpiry = 10 * time.Second })
	w.step(func() { f := facts(1, 3, ""); w.core.SwitchUp(&f) })
	w.wait(2 * time.Second)
	for n := range byte(50) {
		w.speak(netview.Point{DPID: 1, Port: 1}, n+1)
	}
	w.stall[1] = true
	w.wait(10 * time.Minute)
	if n := w.core.hosts.Waiting(1); w.core.Counts.Asked.Load() < 500 || n > hosts.KeepAbandoned+100 {
		t.Errorf("%d questions are kept, %d entries of hosts, of %d", n, w.core.hosts.Kept(), w.core.Counts.Asked.Load())
	}
}

// TestAClaimBesideALookBack: a host that moved unasked is asked at its old place when its switch is
// back. Where it is seen at a third place meanwhile, it is asked where it is known to be, as any
// other: it moves there with that one frame, and without an alarm.
func TestAClaimBesideALookBack(t *testing.T) {
	for _, stalled := range []bool{false, true} {
		w := newWorld(t, Config{})
		w.quiet = true
		for dpid := range netview.DPID(3) {
			w.step(func() { f := facts(dpid+1, 3, ""); w.core.SwitchUp(&f) })
		}
		w.wait(2 * time.Minute)
		w.speak(netview.Point{DPID: 1, Port: 1}, 7)
		w.step(func() { w.core.SwitchDown(1) })
		w.wait(time.Minute)
		w.speak(netview.Point{DPID: 2, Port: 1}, 7) // it moved
		w.step(func() { f := facts(1, 3, ""); w.core.SwitchUp(&f) })
		w.stall[1] = stalled
		for range 100 { // until it is asked at its old place
			w.wait(100 * time.Millisecond)
			if _, asked := w.core.hosts.Querying(hostID(7)); asked {
				break
			}
		}
		if at, ok := w.core.hosts.Querying(hostID(7)); !ok || at.DPID != 1 {
			t.Fatalf("it is not asked at its old place: %v", at)
		}
		w.speak(netview.Point{DPID: 3, Port: 1}, 7)
		w.wait(10 * time.Second)
		if h, _ := w.view.Snapshot().Host(hostID(7)); h.At != (netview.Point{DPID: 3, Port: 1}) ||
			w.core.Counts.Hijacks.Load() != 0 {
			t.Errorf("stalled %t: the host is at %v, and %d alarms: want it at 3/1, and none", stalled, h.At,
				w.core.Counts.Hijacks.Load())
		}
	}
}
