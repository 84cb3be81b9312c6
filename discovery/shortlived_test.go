package discovery

import (
	"fmt"
	"strings"
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

// TestStrangersLeaveNothing: whoever says that he is a switch of very many ports, and goes, again
// and again, is kept within a bound and forgotten within a minute; a switch that was there for
// longer, or that a neighbour has a link to, stays.
func TestStrangersLeaveNothing(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{OfSwitch: 100, Passing: 500}})
	w.quiet = true
	known := facts(1, 2, "")
	w.step(func() { w.core.SwitchUp(&known) })
	w.wait(2 * establishedAfter)
	w.join(netview.Point{DPID: 1, Port: 1}, netview.Point{DPID: 2, Port: 1})
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
		if s.Transient != (s.DPID >= 1000) {
			t.Errorf("switch %s is remembered: %t", s.DPID, !s.Transient)
		}
	}
	w.wait(establishedAfter + time.Second)
	if n, ports := w.ports(); n != 2 || ports != 4 || w.core.Counts.Ports.Load() != 4 ||
		len(w.core.switches.strangers.away) != 0 {
		t.Errorf("%d switches with %d ports are known, %d counted, %d passing", n, ports,
			w.core.Counts.Ports.Load(), len(w.core.switches.strangers.away))
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
	var got strings.Builder
	for s := range w.view.Snapshot().Switches() {
		fmt.Fprintf(&got, " %d:%d", s.DPID, len(s.Ports))
	}
	if got.String() != " 1:9 2:9 4:7" || w.core.Counts.Ignored.Load() == 0 {
		t.Errorf("ports of switches:%s", got.String())
	}
}

// TestStrangersMakeRoomFirst: where as many switches are known as may be, one that was there for a
// moment goes before one of the network's that has been away for longer.
func TestStrangersMakeRoomFirst(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{Switches: 3}})
	w.quiet = true
	up := func(dpid netview.DPID) { w.step(func() { f := facts(dpid, 2, ""); w.core.SwitchUp(&f) }) }
	down := func(dpid netview.DPID) { w.step(func() { w.core.SwitchDown(dpid) }) }
	up(1)
	up(2)
	w.wait(2 * time.Minute)
	down(1)
	w.wait(10 * time.Second)
	up(3)
	down(3)
	up(4)
	s := w.view.Snapshot()
	_, real := s.Switch(1)
	_, stranger := s.Switch(3)
	if _, last := s.Switch(4); !real || stranger || !last {
		t.Errorf("the real one is known: %t, the stranger: %t, the last: %t", real, stranger, last)
	}
}

// TestAStrangerHasAMinuteEachTime: one that comes back for a moment has a minute from then on.
func TestAStrangerHasAMinuteEachTime(t *testing.T) {
	w := newWorld(t, Config{})
	w.quiet = true
	there := func() bool { _, ok := w.view.Snapshot().Switch(7); return ok }
	for range 2 {
		w.step(func() { f := facts(7, 2, ""); w.core.SwitchUp(&f) })
		w.wait(time.Second)
		w.step(func() { w.core.SwitchDown(7) })
		w.wait(40 * time.Second)
	}
	w.wait(15 * time.Second) // more than a minute since it went for the first time, and less since the second
	if !there() {
		t.Error("it is forgotten before its minute was over")
	}
	w.wait(10 * time.Second)
	if there() {
		t.Error("it is known after its minute")
	}
}

// TestAConfiguredSwitchIsNoStranger: a switch of which something is configured stays known though
// it was there for a moment only.
func TestAConfiguredSwitchIsNoStranger(t *testing.T) {
	w := newWorld(t, Config{})
	w.quiet = true
	w.settings(func(s *netview.Settings) { s.Switches = map[netview.DPID]netview.SwitchSettings{7: {Name: "kept"}} })
	w.step(func() { f := facts(7, 2, ""); w.core.SwitchUp(&f) })
	w.step(func() { w.core.SwitchDown(7) })
	w.wait(10 * time.Minute)
	if _, ok := w.view.Snapshot().Switch(7); !ok {
		t.Error("it is forgotten")
	}
}

// TestPortsOfOneThatComesBack: a switch that comes back takes the room that its ports have already,
// where as many are known as may be.
func TestPortsOfOneThatComesBack(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{Ports: 8}})
	w.quiet = true
	for _, dpid := range []netview.DPID{1, 2, 1} {
		w.step(func() { f := facts(dpid, 4, ""); w.core.SwitchUp(&f) })
	}
	if switches, ports := w.ports(); switches != 2 || ports != 8 || w.core.Counts.Ignored.Load() != 0 {
		t.Errorf("%d switches with %d ports, %d ignored; want 2 with 8, and none", switches, ports, w.core.Counts.Ignored.Load())
	}
}

// TestAPortTooManyIsIgnored: a switch that reports ports one by one has as many as may be, and not
// one more.
func TestAPortTooManyIsIgnored(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{OfSwitch: 4}})
	w.quiet = true
	w.step(func() { f := facts(1, 3, ""); w.core.SwitchUp(&f) })
	for number := uint32(4); number < 7; number++ {
		p := ofPort(number, true)
		w.step(func() { w.core.PortStatus(1, openflow.PortAdded, &p) })
	}
	if _, ports := w.ports(); ports != 4 || w.core.Counts.Ignored.Load() != 2 {
		t.Errorf("%d ports, %d ignored; want 4 and 2", ports, w.core.Counts.Ignored.Load())
	}
}

// TestStrangersGrow: what new switches report after their handshake is bounded too, for all of them
// together, and only for them.
func TestStrangersGrow(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{New: 100}})
	w.quiet = true
	w.settings(func(s *netview.Settings) { s.Switches = map[netview.DPID]netview.SwitchSettings{4: {Name: "named"}} })
	old := facts(1, 2, "")
	w.step(func() { w.core.SwitchUp(&old) })
	w.wait(2 * establishedAfter)
	for dpid := range netview.DPID(4) {
		f := facts(dpid+1, 2, "")
		w.step(func() { w.core.SwitchUp(&f) })
	}
	grow := func(dpid netview.DPID, from, to uint32) {
		w.step(func() {
			for port := from; port <= to; port++ {
				p := ofPort(port, false)
				w.core.PortStatus(dpid, openflow.PortAdded, &p)
			}
		})
	}
	for dpid := range netview.DPID(4) {
		grow(dpid+1, 3, freePorts+90)
	}
	var got strings.Builder
	for s := range w.view.Snapshot().Switches() {
		fmt.Fprintf(&got, " %d:%d", s.DPID, len(s.Ports)-freePorts)
	}
	if got.String() != " 1:90 2:90 3:10 4:90" || w.core.Counts.Ignored.Load() != 80 {
		t.Errorf("ports of switches beyond those that are free:%s; %d ignored", got.String(), w.core.Counts.Ignored.Load())
	}
	w.wait(2 * establishedAfter)
	grow(3, freePorts+11, freePorts+90)
	if s, _ := w.view.Snapshot().Switch(3); len(s.Ports) != freePorts+90 {
		t.Errorf("a switch that is known has %d ports", len(s.Ports))
	}
}
