package discovery

import (
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// TestSilentSessionIsNoEvidence: no probe is heard any more. While the session of one end receives
// nothing, the links stay; when both ends have said something, they go.
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

// TestSilentSessionMakesNoEdge: the carrier of a cable was lost for a moment while the session of
// one end is half open. The port at the other end hears nothing, which is no evidence that hosts
// are there: until the switch behind the cable has said something.
func TestSilentSessionMakesNoEdge(t *testing.T) {
	said := map[netview.DPID]uint64{}
	w := newWorld(t, Config{Received: func(d netview.DPID) uint64 { return said[d] }})
	w.quiet = true
	w.cables[netview.Point{DPID: 1, Port: 1}] = netview.Point{DPID: 2, Port: 1}
	w.cables[netview.Point{DPID: 2, Port: 1}] = netview.Point{DPID: 1, Port: 1}
	for d := range netview.DPID(2) {
		w.step(func() { f := facts(d+1, 2, ""); w.core.SwitchUp(&f) })
	}
	w.wait(5 * time.Second)
	w.deaf = true
	port := facts(1, 2, "").Ports[0]
	down := port
	down.State |= openflow.PortStateDown
	w.step(func() { w.core.PortStatus(1, openflow.PortModified, &down) })
	w.step(func() { w.core.PortStatus(1, openflow.PortModified, &port) })
	role := func() netview.PortRole {
		sw, _ := w.view.Snapshot().Switch(1)
		p, _ := sw.Port(port.Number)
		return p.Role
	}
	for range 10 {
		said[1]++
		w.wait(10 * time.Second)
	}
	if role() != netview.PortUnknown {
		t.Errorf("switch 2 says nothing: the port is %s", role())
	}
	said[1]++
	said[2]++
	w.wait(10 * time.Second)
	if role() != netview.PortEdge {
		t.Errorf("both switches have spoken: the port is %s", role())
	}
}
