package discovery

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// ports counts those of all switches in the view.
func (w *world) ports() (switches, ports int) {
	for s := range w.view.Snapshot().Switches() {
		switches++
		ports += len(s.Ports)
	}
	return switches, ports
}

// TestStrangersLeaveNothing: whoever says that he is a switch of very many ports, and goes, again and again, is kept within a
// bound and forgotten within a minute; a switch that was there for longer, or that a neighbour has a link to, stays.
func TestStrangersLeaveNothing(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{OfSwitch: 100, Passing: 500}})
	w.quiet = true
	known := facts(1, 2, "")
	w.step(func() { w.core.SwitchUp(&known) })
	w.wait(2 * provenAfter)
	w.cables[netview.Point{DPID: 1, Port: 1}] = netview.Point{DPID: 2, Port: 1}
	w.cables[netview.Point{DPID: 2, Port: 1}] = netview.Point{DPID: 1, Port: 1}
	next := facts(2, 2, "")
	w.step(func() { w.core.SwitchUp(&next) })
	w.wait(3 * time.Second)
	w.step(func() { w.core.SwitchDown(2) })
	for i := range netview.DPID(24) {
		f := facts(1000+i, 300, "")
		w.step(func() { w.core.SwitchUp(&f) })
		w.step(func() { w.core.SwitchDown(1000 + i) })
		if n, ports := w.ports(); n > 7 || ports > 504 {
			t.Fatalf("%d switches with %d ports are known after %d strangers", n, ports, i+1)
		}
	}
	for s := range w.view.Snapshot().Switches() {
		if s.Passing != (s.DPID >= 1000) {
			t.Errorf("switch %s is remembered: %t", s.DPID, !s.Passing)
		}
	}
	w.wait(provenAfter + time.Second)
	if n, ports := w.ports(); n != 2 || ports != 4 || w.core.Counts.Ports.Load() != 4 || len(w.core.passing) != 0 {
		t.Errorf("%d switches with %d ports are known, %d counted, %d passing", n, ports, w.core.Counts.Ports.Load(), len(w.core.passing))
	}
	if n := w.core.Counts.Passed.Load(); n != 24 {
		t.Errorf("%d strangers were forgotten", n)
	}
}

// TestPortsAreBounded: of a switch and of all, at the handshake and later.
func TestPortsAreBounded(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{OfSwitch: 10, Ports: 25}})
	w.quiet = true
	for dpid := range netview.DPID(3) {
		f := facts(dpid+1, 9, "")
		w.step(func() { w.core.SwitchUp(&f) })
	}
	if n, ports := w.ports(); n != 3 || ports != 25 {
		t.Errorf("%d switches with %d ports", n, ports)
	}
	for port := range uint32(20) {
		p := ofPort(port+1, true)
		w.step(func() { w.core.PortStatus(1, openflow.PortAdded, &p) })
	}
	if _, ports := w.ports(); ports != 25 {
		t.Errorf("%d ports", ports)
	}
	w.step(func() { w.core.SwitchDown(3) }) // it makes room for others, as it was there for a moment only
	for port := range uint32(20) {
		p := ofPort(port+1, true)
		w.step(func() { w.core.PortStatus(1, openflow.PortAdded, &p) })
	}
	f := facts(4, 7, "")
	w.step(func() { w.core.SwitchUp(&f) })
	got := ""
	for s := range w.view.Snapshot().Switches() {
		got += fmt.Sprintf(" %d:%d", s.DPID, len(s.Ports))
	}
	if got != " 1:9 2:9 4:7" || w.core.Counts.Ignored.Load() == 0 {
		t.Errorf("ports of switches:%s", got)
	}
}
