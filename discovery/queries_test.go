package discovery

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
)

// TestUnansweredBarriersKeepNothing: of a switch that takes what it is sent and answers no barrier,
// the questions that were given up are not kept: Core.Check bounds those that are by what may be open.
func TestUnansweredBarriersKeepNothing(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{Queries: 50}})
	w.quiet = true
	w.settings(func(s *netview.Settings) { s.HostExpiry = 10 * time.Second })
	w.step(func() { f := facts(1, 3, ""); w.core.SwitchUp(&f) })
	w.wait(2 * time.Second)
	for n := range byte(50) {
		w.speak(netview.Point{DPID: 1, Port: 1}, n+1)
	}
	w.stall[1] = true
	w.wait(10 * time.Minute)
	if n := w.core.Counts.Asked.Load(); n < 500 {
		t.Errorf("%d questions, want many more than may be kept", n)
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
		question := fmt.Sprintf("ask %s at 1/1", hostID(7).MAC)
		asked := func() bool { return strings.Contains(strings.Join(w.lines, "\n"), question) }
		w.lines = nil
		for i := 0; i < 100 && !asked(); i++ {
			w.wait(100 * time.Millisecond)
		}
		if !asked() {
			t.Fatalf("it is not asked at its old place: %v", w.lines)
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
