package discovery

import (
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// A table full of invented hosts is cleaned: those that answer stay, the others make room within a
// minute or two.
func TestInventedHostsGoFirst(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{Hosts: 400, AtPort: 400}})
	w.quiet = true
	w.step(func() { f := facts(1, 3, ""); w.core.SwitchUp(&f) })
	w.wait(2 * time.Second)
	for n := range byte(5) {
		w.lives[hostID(n+1)] = netview.Point{DPID: 1, Port: 1}
		w.speak(netview.Point{DPID: 1, Port: 1}, n+1)
	}
	w.step(func() {
		for n := range 500 {
			k := arpOf(1000 + n)
			w.core.Frame(netview.Point{DPID: 1, Port: 2}, &k)
		}
	})
	if n := w.view.Snapshot().Counts().Hosts; n != 400 || w.core.Counts.Refused.Load() != 105 {
		t.Fatalf("%d hosts, %d refused: want 400 and 105", n, w.core.Counts.Refused.Load())
	}
	w.wait(2 * time.Minute)
	s := w.view.Snapshot()
	if n := s.Counts().Hosts; n > 300 {
		t.Errorf("%d hosts are left: want room for others", n)
	}
	for n := range byte(5) {
		if _, ok := s.Host(hostID(n + 1)); !ok {
			t.Errorf("host %d answers, and is gone", n+1)
		}
	}
}

// A silent host whose packets are forwarded stays.
func TestHostInUseStays(t *testing.T) {
	used := true
	w := newWorld(t, Config{InUse: func(netview.HostID, netview.Point) bool { return used }})
	w.quiet = true
	w.step(func() { f := facts(1, 2, ""); w.core.SwitchUp(&f) })
	w.wait(2 * time.Second)
	w.speak(netview.Point{DPID: 1, Port: 1}, 1)
	w.wait(2 * time.Hour)
	if _, ok := w.view.Snapshot().Host(hostID(1)); !ok {
		t.Fatal("a host in use expired")
	}
	used = false
	w.wait(time.Hour)
	if _, ok := w.view.Snapshot().Host(hostID(1)); ok {
		t.Error("a host that nobody heard for hours, not in use, is still known")
	}
}

// Of more datapath ids than may be known, those go that have been away for longest and that nothing
// is configured of, with all that is kept of them (Core.Check).
func TestSwitchesAreBounded(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{Switches: 10}})
	w.quiet = true
	w.settings(func(s *netview.Settings) {
		s.Switches = map[netview.DPID]netview.SwitchSettings{100: {Name: "kept"}}
	})
	w.join(netview.Point{DPID: 100, Port: 1}, netview.Point{DPID: 101, Port: 1})
	for n := range netview.DPID(50) {
		w.step(func() { f := facts(100+n, 2, ""); w.core.SwitchUp(&f) })
		w.wait(time.Second)
		if at := (netview.Point{DPID: 100 + n, Port: 2}); n > 0 {
			k := packet.NewARPRequest(packet.MAC{2, 0, 0, 0, 1, byte(n)}, [4]byte{10, 0, 0, byte(n)}, [4]byte{10, 0, 0, 1})
			w.step(func() { w.core.Frame(at, &k) })
		}
		if n >= 2 {
			w.step(func() { w.core.SwitchDown(100 + n - 2) })
		}
	}
	s := w.view.Snapshot()
	if n := s.Counts().Switches; n != 10 || len(w.core.Devices) != 10 || w.core.Counts.Evicted.Load() != 40 {
		t.Errorf("%d switches, %d forgotten: want 10 and 40", n, w.core.Counts.Evicted.Load())
	}
	if sw, ok := s.Switch(100); !ok || sw.Name != "kept" {
		t.Error("the one that is configured is gone")
	}
	if _, ok := s.Switch(149); !ok {
		t.Error("the last one is not known")
	}
}

// What is remembered need not fit together, or be within bounds: nothing of it breaks an invariant.
func TestLoadTakesAnything(t *testing.T) {
	p := func(d netview.DPID, n uint32) netview.Point { return netview.Point{DPID: d, Port: n} }
	ports := []netview.Port{{Number: 3, Up: true, Role: netview.PortEdge},
		{Number: 1, Up: true, Role: netview.PortLink}, {Number: 1}, {Number: 2, Role: netview.PortEdge}}
	var links []*netview.Link
	var hosts []*netview.Host
	for a := range netview.DPID(3) {
		for b := range uint32(4) {
			for c := range uint32(4) {
				links = append(links, &netview.Link{LinkKey: netview.LinkKey{Src: p(a, b), Dst: p(a^1, c)},
					Up: c != 2, State: netview.LinkConfirmed})
			}
			hosts = append(hosts, &netview.Host{HostID: hostID(byte(b)), At: p(a, b), Seen: t0.Add(time.Hour)})
		}
	}
	w := newWorld(t, Config{Limits: Limits{Hosts: 2, Switches: 2}})
	w.step(func() {
		w.core.Load([]*netview.Switch{{DPID: 0, Ports: ports, Connected: true}, {DPID: 1, Ports: ports}, {DPID: 1},
			{DPID: 7}}, links, hosts)
	})
	w.step(func() { f := facts(1, 3, "2"); w.core.SwitchUp(&f) })
	w.wait(time.Minute)
	if n := w.view.Snapshot().Counts(); n.Switches != 2 || n.Hosts > 2 {
		t.Errorf("%+v", n)
	}
}

// So many ports came up that no probe has left one when it is due to be an edge: it is none until
// probes have.
func TestPortDueBeforeItsFirstProbe(t *testing.T) {
	w := newWorld(t, Config{})
	w.quiet = true
	w.step(func() {
		w.core.prober.Pace.Reserve(wantBurst + 10*25_000) // the next is free in 10 s
		f := facts(1, 1, "")
		w.core.SwitchUp(&f)
	})
	role := func() netview.PortRole {
		sw, _ := w.view.Snapshot().Switch(1)
		return sw.Ports[0].Role
	}
	w.wait(8 * time.Second)
	if p := w.core.Port(netview.Point{DPID: 1, Port: 1}); p.Sent != nil || role() != netview.PortUnknown {
		t.Errorf("its role is %v; want unknown, as no probe was sent", role())
	}
	w.wait(8 * time.Second)
	if role() != netview.PortEdge {
		t.Errorf("its role is %v after probes were sent; want edge", role())
	}
}
