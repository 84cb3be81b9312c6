package discovery

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"pgregory.net/rapid"
)

// wires is what the network really is.
type wires struct {
	connected map[netview.DPID]bool
	down      map[netview.Point]bool
	joined    map[netview.Point]bool   // by a cable that was heard as a link and is there ever since: never an edge
	silent    map[netview.Point]bool   // it lost its cable, and has had carrier ever since
	cabled    map[netview.LinkKey]bool // ports that a cable has ever joined
	relayed   []netview.Point          // two ports between which somebody carries far probes
}

// Whatever happens, the view agrees with the core and keeps its invariants, and no cable between
// switches that was once heard has an edge at an end; and when nothing happens any more, the links
// that are up are the cables, ports are what they are, and hosts that speak are where they are.
// Whatever frames come in, no link can be used that no cable ever was, and no host moves while it
// answers where it is.
func TestConverges(t *testing.T) {
	need.OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(fatal{t}, Config{})
		r := wires{
			connected: map[netview.DPID]bool{}, down: map[netview.Point]bool{}, joined: map[netview.Point]bool{},
			silent: map[netview.Point]bool{}, cabled: map[netview.LinkKey]bool{},
		}
		if rapid.Bool().Draw(t, "widths") {
			w.settings(func(s *netview.Settings) { s.LinkFrame = 1522 })
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			w.random(t, &r)
			w.expectNoEdge(t, &r)
			w.expectNoFalseLink(t, &r)
			w.expectNoFalseWidth(t)
		}
		r.unrelay(w)
		w.deaf, w.full = false, map[netview.DPID]bool{}
		for dpid := range netview.DPID(4) { // all come back, nothing changes any more
			if !r.connected[dpid] {
				r.up(w, dpid)
			}
		}
		w.wait(unobservedSilence + 30*time.Second)
		w.settings(func(s *netview.Settings) { s.TrustLinks = true }) // some cables came without a carrier
		w.expectLinks(t, &r)
		w.wait(longPeriod + 10*time.Second)
		w.expectWidths(t)
		for dpid := range netview.DPID(4) {
			w.expectHost(t, netview.Point{DPID: dpid, Port: 3}, &r)
		}
	})
}

// fatal makes what a world reports end the run, so that rapid can shrink it.
type fatal struct{ *rapid.T }

func (f fatal) Error(args ...any) { f.Fatal(args...) }

// doubtful forgets that a port and its other end were heard: what happens may rightly look as if
// the cable was moved.
func (r *wires) doubtful(w *world, at netview.Point) {
	delete(r.joined, at)
	delete(r.joined, w.cables[at])
}

func (r *wires) up(w *world, dpid netview.DPID) {
	r.connected[dpid] = true
	for n := range uint32(4) {
		if w.deaf { // half a minute of silence after a lost session is evidence
			r.doubtful(w, netview.Point{DPID: dpid, Port: n})
		}
	}
	f := facts(dpid, 3, "")
	for i := range f.Ports {
		if r.down[netview.Point{DPID: dpid, Port: f.Ports[i].Number}] {
			f.Ports[i].State = openflow.PortStateDown
		}
	}
	w.step(func() { w.core.SwitchUp(&f) })
}

func (w *world) random(t *rapid.T, r *wires) {
	at := netview.Point{DPID: netview.DPID(rapid.IntRange(0, 3).Draw(t, "dpid")),
		Port: uint32(rapid.IntRange(1, 3).Draw(t, "port"))}
	switch rapid.IntRange(0, 17).Draw(t, "op") {
	case 0, 1:
		r.up(w, at.DPID)
	case 2:
		r.connected[at.DPID] = false
		w.step(func() { w.core.SwitchDown(at.DPID) })
	case 3, 4:
		if end, ok := w.cables[at]; ok && (w.deaf || !r.down[at] && !r.down[end]) {
			r.doubtful(w, at) // the other end has carrier, and nothing can be heard there
		}
		r.down[at] = !r.down[at]
		if !r.connected[at.DPID] {
			return
		}
		if r.down[at] {
			delete(r.silent, at)
		}
		p, reason := ofPort(at.Port, !r.down[at]), openflow.PortModified
		if r.down[at] && rapid.Bool().Draw(t, "deleted") {
			reason = openflow.PortDeleted
		}
		w.step(func() { w.core.PortStatus(at.DPID, reason, &p) })
	case 5:
		r.unplug(w, at)
	case 6:
		other := netview.Point{DPID: netview.DPID(rapid.IntRange(0, 3).Draw(t, "other")),
			Port: uint32(rapid.IntRange(1, 2).Draw(t, "otherport"))}
		if at.Port < 3 {
			r.unplug(w, at)
			r.unplug(w, other)
			w.join(at, other)
			maps.DeleteFunc(w.lives, func(_ netview.HostID, p netview.Point) bool { return p == at || p == other })
			r.cabled[netview.LinkKey{Src: at, Dst: other}], r.cabled[netview.LinkKey{Src: other, Dst: at}] = true, true
		}
	case 7:
		host := byte(rapid.IntRange(1, 3).Draw(t, "host"))
		if _, cabled := w.cables[at]; !cabled {
			w.lives[hostID(host)] = at
		}
		w.speak(at, host)
	case 11:
		w.pretend(t, at, byte(rapid.IntRange(1, 3).Draw(t, "host")), r)
	case 12:
		w.forge(t, at, r)
	case 13:
		r.unrelay(w)
		if other := (netview.Point{DPID: at.DPID ^ 1, Port: 3}); rapid.Bool().Draw(t, "relay") {
			at.Port = 3
			r.relayed = []netview.Point{at, other}
			w.segments = [][]netview.Point{r.relayed}
			w.nearless[at], w.nearless[other] = true, true
		}
	case 14: // an interface has another MTU
		w.most[at] = rapid.SampledFrom([]int{0, 1514, 1522}).Draw(t, "most")
	case 8:
		w.deaf = !w.deaf
	case 9:
		w.full[at.DPID] = !w.full[at.DPID]
	case 10: // the cable flaps: both ends see it, or those that are connected say so
		r.flap(w, at)
	default:
		w.wait(time.Duration(rapid.SampledFrom([]int{1, 30, 500, 2500, 9000}).Draw(t, "ms")) * time.Millisecond)
	}
}

// unrelay ends what carries far probes between two ports.
func (r *wires) unrelay(w *world) {
	for _, p := range r.relayed {
		r.silent[p] = true // a link was heard there, and nobody saw a carrier go
		delete(w.nearless, p)
	}
	r.relayed, w.segments = nil, nil
}

// forge has an attacker's frame come in: it is refused, unless it says where it really is.
func (w *world) forge(t *rapid.T, at netview.Point, r *wires) {
	of := netview.Point{DPID: netview.DPID(rapid.IntRange(0, 3).Draw(t, "of")),
		Port: uint32(rapid.IntRange(1, 3).Draw(t, "ofport"))}
	kind := rapid.SampledFrom([]string{"port", "number", "mac", "chassis", "key", "never", "redirected", "old"}).Draw(t, "kind")
	if len(w.sent[of]) < 30 {
		return
	}
	var err error
	frame := w.crafted(kind, of)
	w.step(func() { err = w.core.LLDP(at, frame) })
	if err == nil && kind != "old" {
		t.Fatalf("a frame of the kind %s made a link", kind)
	}
	if err == nil { // not heard before, it was carried here as by a cable, and nobody sees a carrier go
		r.silent[at], r.silent[of] = true, true
		r.cabled[netview.LinkKey{Src: of, Dst: at}] = true
	}
}

// pretend has somebody speak in the name of a host that is elsewhere. It must stay there if it can
// answer.
func (w *world) pretend(t *rapid.T, at netview.Point, host byte, r *wires) {
	lives, ok := w.lives[hostID(host)]
	h, known := w.view.Snapshot().Host(hostID(host))
	w.speak(at, host)
	if !ok || !known || h.At != lives || lives == at || w.deaf || w.full[lives.DPID] || r.down[lives] ||
		!r.connected[lives.DPID] {
		return
	}
	if sw, _ := w.view.Snapshot().Switch(lives.DPID); slices.ContainsFunc(sw.Ports, func(p netview.Port) bool {
		return p.Number == lives.Port && p.Role == netview.PortLink
	}) {
		return
	}
	w.wait(900*time.Millisecond + time.Millisecond) // two queries, and the time for an answer
	if now, ok := w.view.Snapshot().Host(hostID(host)); ok && now.At == at {
		t.Fatalf("host %s is at %s, and answers at %s\n%s", now.HostID, short(at), short(lives), w.history())
	}
}

func hostID(host byte) netview.HostID { return netview.HostID{MAC: packet.MAC{2, 0, 0, 0, 0, host}} }

// expectNoFalseLink wants that links that can be used are, or were, cables.
func (w *world) expectNoFalseLink(t *rapid.T, r *wires) {
	for l := range w.view.Snapshot().Links() {
		if l.Usable && !r.cabled[l.LinkKey] {
			t.Fatalf("link %s is %s, and never was a cable\n%s", shortKey(l.LinkKey), l.State, w.history())
		}
	}
}

// expectNoFalseWidth wants narrow only links that have been narrow: nothing that is lost together with short
// probes makes one.
func (w *world) expectNoFalseWidth(t *rapid.T) {
	for l := range w.view.Snapshot().Links() {
		if _, ever := w.most[l.Src]; l.Width == netview.WidthNarrow && !ever {
			t.Fatalf("link %s is narrow, and carries all frames\n%s", shortKey(l.LinkKey), w.history())
		}
	}
}

// expectWidths wants that of each link that is up to be known, if that is asked for.
func (w *world) expectWidths(t *rapid.T) {
	frame := w.view.Snapshot().Settings().LinkFrame
	for l := range w.view.Snapshot().Links() {
		want := netview.WidthFull
		switch most := w.most[l.Src]; {
		case frame == 0 || !l.Up:
			want = netview.WidthUnknown
		case most > 0 && most < frame:
			want = netview.WidthNarrow
		}
		if l.Width != want {
			t.Fatalf("link %s is %s, want %s\n%s", shortKey(l.LinkKey), l.Width, want, w.history())
		}
	}
}

// unplug takes a cable away, and no port tells of it.
func (r *wires) unplug(w *world, at netview.Point) {
	if end, ok := w.cables[at]; ok {
		r.doubtful(w, at)
		r.silent[at], r.silent[end] = true, true
		delete(w.cables, end)
		delete(w.cables, at)
	}
}

func (r *wires) flap(w *world, at netview.Point) {
	ends := []netview.Point{at}
	if end, ok := w.cables[at]; ok {
		ends = append(ends, end)
		r.doubtful(w, at) // until it is heard again
	}
	for _, up := range []bool{false, true} {
		for _, p := range ends {
			if r.connected[p.DPID] && !r.down[p] {
				delete(r.silent, p)
				of := ofPort(p.Port, up)
				w.step(func() { w.core.PortStatus(p.DPID, openflow.PortModified, &of) })
			}
		}
	}
}

// expectNoEdge notes which cables were heard, and wants that those that were lead from no edge.
func (w *world) expectNoEdge(t *rapid.T, r *wires) {
	s := w.view.Snapshot()
	for sw := range s.Switches() {
		for _, p := range sw.Ports {
			at := netview.Point{DPID: sw.DPID, Port: p.Number}
			end, ok := w.cables[at]
			_, out := s.Link(netview.LinkKey{Src: at, Dst: end})
			switch {
			case !ok || !p.Up:
			case p.Role == netview.PortLink && out && !r.down[at] && !r.down[end]:
				r.joined[at] = true
			case p.Role == netview.PortEdge && r.joined[at]:
				t.Fatalf("port %s is an edge, and its cable leads to %s\n%s", short(at), short(end), w.history())
			}
		}
	}
}

func (w *world) speak(at netview.Point, host byte) {
	k := packet.Key{EthSrc: packet.MAC{2, 0, 0, 0, 0, host}, EtherType: packet.TypeARP, ARPOp: 1,
		Layers: packet.LayerEthernet | packet.LayerARP,
		ARPSHA: packet.MAC{2, 0, 0, 0, 0, host}, ARPSPA: [4]byte{10, 0, 0, host}}
	if s, _ := hosts.ParseSighting(at, &k); !w.core.hosts.Seen.IsNew(&s) {
		return
	}
	w.step(func() { w.core.Frame(at, &k) })
}

// expectLinks compares the links that are up with the cables between ports that are up.
func (w *world) expectLinks(t *rapid.T, r *wires) {
	want, got := map[string]bool{}, map[string]bool{}
	for a, b := range w.cables {
		if !r.down[a] && !r.down[b] {
			want[shortKey(netview.LinkKey{Src: a, Dst: b})] = true
		}
	}
	s := w.view.Snapshot()
	for l := range s.Links() {
		if l.Up {
			got[shortKey(l.LinkKey)] = true
			if l.State != netview.LinkConfirmed {
				t.Fatalf("link %s is %s, and both ends are connected", shortKey(l.LinkKey), l.State)
			}
		}
	}
	if !maps.Equal(want, got) {
		t.Fatalf("links %v, want %v\n%s", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), w.history())
	}
	for sw := range s.Switches() {
		for _, p := range sw.Ports {
			role := netview.PortEdge
			at := netview.Point{DPID: sw.DPID, Port: p.Number}
			if end, ok := w.cables[at]; ok && !r.down[end] && !r.down[at] {
				role = netview.PortLink
			}
			silent := r.silent[at] || r.down[w.cables[at]] // unheard, and it has carrier: it may lead to a switch
			if p.Up && p.Role != role && !(silent && p.Role == netview.PortUnknown) {
				t.Fatalf("port %s is %s, want %s\n%s", short(at), p.Role, role, w.history())
			}
		}
		if !sw.Settled || !s.Settled() {
			t.Fatalf("switch %d has not settled", sw.DPID)
		}
	}
}

func (w *world) history() string { return strings.Join(w.lines, "\n") + "\n" }

// expectHost has a host speak at an edge and looks for it there.
func (w *world) expectHost(t *rapid.T, at netview.Point, r *wires) {
	if r.down[at] {
		return
	}
	host := byte(at.DPID) // it may have spoken elsewhere before
	w.lives[hostID(host)] = at
	w.speak(at, host)
	w.wait(2 * time.Second)
	h, ok := w.view.Snapshot().Host(hostID(host))
	if sw, _ := w.view.Snapshot().Switch(at.DPID); r.silent[at] {
		if p, _ := sw.Port(at.Port); p.Role == netview.PortUnknown {
			return
		}
	}
	if !ok || h.At != at || h.State != netview.HostConfirmed || fmt.Sprint(h.IPs) != fmt.Sprintf("[10.0.0.%d]", host) {
		t.Fatalf("host at %s: %+v", short(at), h)
	}
}
