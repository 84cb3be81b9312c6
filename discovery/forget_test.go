package discovery

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
)

// TestNothingStaysOfForgottenSwitches: of switches that have been there for long, with hosts and
// links among them, nothing is left when they are forgotten.
func TestNothingStaysOfForgottenSwitches(t *testing.T) {
	w := newWorld(t, Config{})
	w.quiet = true
	w.settings(func(s *netview.Settings) { s.HostExpiry = time.Minute }) // so that they are asked
	const switches = 20
	for d := range netview.DPID(switches) {
		a, b := netview.Point{DPID: d + 1, Port: 2}, netview.Point{DPID: (d+1)%switches + 1, Port: 1}
		w.join(a, b)
	}
	for d := range netview.DPID(switches) {
		w.step(func() { f := facts(d+1, 3, ""); w.core.SwitchUp(&f) })
	}
	w.wait(3 * time.Second)
	for d := range netview.DPID(switches) {
		at := netview.Point{DPID: d + 1, Port: 3}
		w.lives[hostID(byte(d+1))] = at
		w.speak(at, byte(d+1))
	}
	w.wait(2 * time.Minute)
	for d := range netview.DPID(switches) {
		w.step(func() { w.core.SwitchDown(d + 1) })
	}
	w.wait(time.Minute)
	for d := range netview.DPID(switches) {
		w.step(func() {
			if err := w.core.switches.forget(d + 1); err != nil {
				t.Errorf("switch %d: %v", d+1, err)
			}
		})
	}
	c := w.core
	if n := len(c.Devices) + len(c.switches.strangers.away); n != 0 { // Check says of the rest that it is of these
		t.Errorf("%d are kept: %d switches", n, len(c.Devices))
	}
	counts := w.view.Snapshot().Counts()
	if c.Counts.Ports.Load() != 0 || counts.Switches+counts.Links+counts.Hosts != 0 {
		t.Errorf("kept: %d ports, %+v", c.Counts.Ports.Load(), counts)
	}
	if c.Counts.Forgotten.Load() != switches || c.Counts.Evicted.Load() != 0 {
		t.Errorf("counted: %d forgotten, %d evicted", c.Counts.Forgotten.Load(), c.Counts.Evicted.Load())
	}
	w.checkSeen()
}

// TestForgetEnds: who asks a discovery that has ended is told so, and who asks one that does not
// run until his time is over.
func TestForgetEnds(t *testing.T) {
	d := New(netview.New(netview.Limits{}).Facts(), Config{Key: testKey})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := d.ForgetSwitch(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	d.Run(ctx)
	if err := d.ForgetHost(t.Context(), netview.HostID{}); !errors.Is(err, ErrEnded) {
		t.Error(err)
	}
}

// twoSwitches returns a world of two switches with a link, known for two minutes, and host 7 at switch 1.
func twoSwitches(t *testing.T) *world {
	w := newWorld(t, Config{})
	w.quiet = true
	w.join(netview.Point{DPID: 1, Port: 1}, netview.Point{DPID: 2, Port: 1})
	for dpid := range netview.DPID(2) {
		w.step(func() { f := facts(dpid+1, 3, ""); w.core.SwitchUp(&f) })
	}
	w.wait(2 * time.Minute)
	w.speak(netview.Point{DPID: 1, Port: 2}, 7)
	return w
}

// TestForgettingEndsLookingBack: a host that moved unasked is not looked for any more at the switch
// where it was, once that is forgotten, and its alarm ends.
func TestForgettingEndsLookingBack(t *testing.T) {
	w := twoSwitches(t)
	w.step(func() { w.core.SwitchDown(1) })
	w.wait(time.Minute)
	w.lines = nil
	w.speak(netview.Point{DPID: 2, Port: 2}, 7)
	if !strings.Contains(strings.Join(w.lines, " "), "unverified-move") {
		t.Fatalf("it did not move unasked: %v", w.lines)
	}
	w.lines = nil
	w.step(func() {
		if err := w.core.switches.forget(1); err != nil {
			t.Error(err)
		}
	})
	if !strings.Contains(strings.Join(w.lines, " "), "alarm unverified-move "+hostID(7).String()+" ended") {
		t.Errorf("it is looked for: %v", w.lines)
	}
}

// TestNothingStaysOfForgottenHosts: hosts that are being asked, where they are known and where they were before a
// move that nobody could ask about, leave nothing behind when they are forgotten (Core.Check).
func TestNothingStaysOfForgottenHosts(t *testing.T) {
	w := twoSwitches(t)
	w.speak(netview.Point{DPID: 2, Port: 3}, 8)
	w.step(func() { w.core.SwitchDown(1) })
	w.wait(time.Minute)
	w.speak(netview.Point{DPID: 2, Port: 2}, 7) // it moved
	w.stall[2] = true
	w.settings(func(s *netview.Settings) { s.HostExpiry = 10 * time.Second })
	for w.lines = nil; !strings.Contains(strings.Join(w.lines, " "), "ask "+hostID(8).MAC.String()); {
		w.wait(time.Second)
	}
	for n := range byte(2) {
		w.step(func() {
			if !w.core.hosts.Forget(hostID(7 + n)) {
				t.Errorf("host %d is gone", 7+n)
			}
		})
	}
	if n := w.view.Snapshot().Counts().Hosts; n != 0 {
		t.Errorf("%d hosts are left", n)
	}
	w.checkSeen()
}
