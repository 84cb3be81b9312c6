package discovery

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// silentPair is two switches with a cable between their ports 1. After five seconds nothing comes
// in any more, and what a session has received grows by what a test adds to its counter.
func silentPair(t *testing.T) (w *world, received [2]*atomic.Uint64) {
	w = newWorld(t, Config{})
	w.quiet = true
	w.join(netview.Point{DPID: 1, Port: 1}, netview.Point{DPID: 2, Port: 1})
	for i := range received {
		received[i] = new(atomic.Uint64)
		f := facts(netview.DPID(i+1), 2, "")
		f.Received = received[i]
		w.step(func() { w.core.SwitchUp(&f) })
	}
	w.wait(5 * time.Second)
	if n := linksUp(w.view.Snapshot()); n != 2 {
		t.Fatalf("%d links to begin with", n)
	}
	w.deaf = true
	return w, received
}

// TestSilentSessionIsNoEvidence: no probe is heard any more. While the session of one end receives
// nothing, the links stay; when both ends have sent something, they go.
func TestSilentSessionIsNoEvidence(t *testing.T) {
	w, received := silentPair(t)
	for range 10 {
		received[0].Add(1)
		w.wait(10 * time.Second)
	}
	if n := linksUp(w.view.Snapshot()); n != 2 {
		t.Errorf("switch 2 sends nothing: %d links are left", n)
	}
	received[0].Add(1)
	received[1].Add(1)
	w.wait(10 * time.Second)
	if n := linksUp(w.view.Snapshot()); n != 0 {
		t.Errorf("both switches have sent something: %d links are left", n)
	}
}

// TestSilentSessionMakesNoEdge: the carrier of a cable was lost for a moment while the session of
// one end is half open. The port at the other end hears nothing, which is no evidence that hosts
// are there: until the switch behind the cable has sent something.
func TestSilentSessionMakesNoEdge(t *testing.T) {
	w, received := silentPair(t)
	for _, up := range []bool{false, true} {
		port := ofPort(1, up)
		w.step(func() { w.core.PortStatus(1, openflow.PortModified, &port) })
	}
	role := func() netview.PortRole {
		sw, _ := w.view.Snapshot().Switch(1)
		p, _ := sw.Port(1)
		return p.Role
	}
	for range 10 {
		received[0].Add(1)
		w.wait(10 * time.Second)
	}
	if role() != netview.PortUnknown {
		t.Errorf("switch 2 sends nothing: the port is %s", role())
	}
	received[0].Add(1)
	received[1].Add(1)
	w.wait(10 * time.Second)
	if role() != netview.PortEdge {
		t.Errorf("both switches have sent something: the port is %s", role())
	}
}
