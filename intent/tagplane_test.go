package intent

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// plane is the switches of a network as pipelines that forward frames, with the rules that n.holds has and the rows of
// guards.
type plane struct {
	*network
	switches map[netview.DPID]*flowtable.Switch
	version  func(netview.DPID) openflow.Version
	guards   map[netview.RuleKey]bool
}

// ways collects what a switch sends.
type sent struct {
	frames []heading
	asked  int
}

// heading is a frame that leaves by a port, or comes in by one.
type heading struct {
	at    netview.Point
	frame []byte
}

func (s *sent) Transmit(port, _ uint32, frame []byte) {
	s.frames = append(s.frames, heading{netview.Point{Port: port}, slices.Clone(frame)})
}
func (s *sent) PacketIn(*flowtable.PacketIn)                  { s.asked++ }
func (s *sent) FlowRemoved(*openflow.FlowRemoved)             {}
func (s *sent) PortStatus(openflow.PortReason, openflow.Port) {}
func newPlane(n *network, old map[netview.DPID]bool) (p *plane) {
	p = &plane{network: n, switches: make(map[netview.DPID]*flowtable.Switch), guards: make(map[netview.RuleKey]bool)}
	p.version = func(dpid netview.DPID) openflow.Version {
		if old[dpid] {
			return openflow.V10
		}
		return openflow.V13
	}
	n.engine.guard.rows, n.engine.guard.domain = n.view.Desired(RowOwner), 1
	for sw := range n.view.Snapshot().Switches() {
		s := flowtable.New(flowtable.Config{})
		for _, port := range sw.Ports {
			s.AddPort(openflow.Port{Number: port.Number}, 0, &sent{})
		}
		p.switches[sw.DPID] = s
		if old[sw.DPID] {
			row := *sw
			row.Version, row.Tables = openflow.V10, 1
			n.facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(&row) })
			continue
		}
		p.mod(sw.DPID, &openflow.FlowMod{Table: 0, Instructions: []openflow.Instruction{openflow.GotoTable(1)}})
	}
	n.wire = p.rule
	return p
}

func (p *plane) mod(dpid netview.DPID, m *openflow.FlowMod) {
	p.t.Helper()
	m.Buffer, m.OutPort, m.OutGroup = openflow.NoBuffer, openflow.PortAny, openflow.GroupAny
	if err := p.switches[dpid].FlowMod(p.version(dpid), m, 0, &sent{}); err != nil {
		p.t.Fatalf("switch %d: %v: %+v", dpid, err, m)
	}
}

// rule writes or removes a rule.
func (p *plane) rule(g *ruleset.Set, rule int, remove bool) {
	_, hop := g.At(rule)
	v := p.version(hop.DPID)
	var m openflow.FlowMod
	if remove {
		mask := plan.OwnerMask
		if v == openflow.V10 {
			mask = 0
		}
		g.Removal(rule, 1, v == openflow.V10, mask, &m)
	} else {
		g.FlowMod(rule, 1, v == openflow.V10, &m)
	}
	p.mod(hop.DPID, &m)
}

// guard writes the rows of guards, and removes those that are gone.
func (p *plane) guard() {
	wanted := make(map[netview.RuleKey]bool)
	for dpid := range p.switches {
		for r := range p.view.Snapshot().Rules(dpid) {
			wanted[r.Key()] = true
			if !p.guards[r.Key()] {
				p.mod(dpid, &openflow.FlowMod{Table: r.Table, Priority: r.Priority, Match: r.Match, Instructions: r.Instructions})
			}
		}
	}
	for key := range p.guards {
		if !wanted[key] {
			p.mod(key.DPID, &openflow.FlowMod{Command: openflow.FlowDeleteStrict, Table: key.Table, Priority: key.Priority,
				Match: openflow.Match{OXM: []byte(key.Match)}})
		}
	}
	p.guards = wanted
}

// hop has a frame pass one switch: on to others, or out at edges.
func (p *plane) hop(h heading) (on, out []heading) {
	var s sent
	p.switches[h.at.DPID].Receive(h.at.Port, h.frame, 0, &s)
	for _, f := range s.frames {
		f.at.DPID = h.at.DPID
		led := false
		for l := range p.view.Snapshot().LinksFromPoint(f.at) {
			on, led = append(on, heading{l.Dst, f.frame}), true
		}
		if !led {
			out = append(out, f)
		}
	}
	return on, out
}

// walk has a frame go all its way, and returns where it leaves.
func (p *plane) walk(h heading) (out []heading) {
	for list := []heading{h}; len(list) > 0; {
		if len(out)+len(list) > 100 {
			p.t.Fatalf("a frame from %v circles", h.at)
		}
		on, left := p.hop(list[0])
		list, out = append(list[1:], on...), append(out, left...)
	}
	return out
}

// frameOf is what the frames of the tests have.
type frameOf struct {
	src  byte
	vlan uint16 // 0: none
	ipv6 bool
	dst  byte // of IPv4, 10.0.0.dst
}

func (f frameOf) bytes() []byte {
	b := []byte{2, 0, 0, 0, 0, 99, 2, 0, 0, 0, 0, f.src}
	if f.vlan != 0 {
		b = append(b, 0x81, 0, byte(f.vlan>>8), byte(f.vlan))
	}
	if f.ipv6 {
		return append(append(b, 0x86, 0xdd, 0x60, 0, 0, 0, 0, 0, 59, 64), make([]byte, 32)...)
	}
	return append(b, 8, 0, 0x45, 0, 0, 20, 0, 0, 0, 0, 64, 253, 0, 0, 9, 9, 9, 9, 10, 0, 0, f.dst)
}

// frames are the small space of headers.
func frames() (list []frameOf) {
	for _, src := range []byte{1, 2, 3} {
		for _, vlan := range []uint16{0, 1, 2, 5, 4000} {
			list = append(list, frameOf{src, vlan, true, 0})
			for _, dst := range []byte{0, 1, 8} {
				list = append(list, frameOf{src, vlan, false, dst})
			}
		}
	}
	return list
}

// matches reports whether a selector of the tests has a frame.
func (f frameOf) matches(s *spec.Spec) bool {
	if v, ok := s.Selector.Uint(openflow.FieldEthSrc); ok && byte(v) != f.src {
		return false
	}
	vid := uint64(f.vlan)
	if vid != 0 {
		vid |= uint64(openflow.VLANPresent)
	}
	if v, ok := s.Selector.Uint(openflow.FieldVLANVID); ok && v != vid {
		return false
	}
	if family, ok := s.Selector.Uint(openflow.FieldEthType); ok && f.ipv6 == (family == 0x0800) {
		return false
	}
	value, mask, ok := s.Selector.Lookup(openflow.FieldIPv4Dst)
	if !ok {
		return true
	}
	bits := byte(0xff)
	if mask != nil {
		bits = mask[3]
	}
	return !f.ipv6 && f.dst&bits == value[3]&bits
}

// randomWide is an intent of the tests: wide, or of a source of its own.
func randomWide(w *twin, i int) spec.Spec {
	s := spec.Spec{ID: fmt.Sprint("i", i), Priority: uint16(100 + w.r.IntN(4)), Wide: true}
	switch s.Kind = spec.Kind(2 + w.r.IntN(4)); s.Kind {
	case spec.MultipointToPoint:
		s.Src, s.Dst = w.ends(3), w.ends(1)
	case spec.PointToMultipoint:
		s.Src, s.Dst = w.ends(1), w.ends(3)
	case spec.Path:
		hops, ok := topology.Build(w.view.Snapshot()).PathBetween(w.edge(), w.edge(), w.r.Uint64(), nil)
		if s.Hops = hops; ok {
			break
		}
		fallthrough
	default:
		s.Kind, s.Src, s.Dst = spec.PointToPoint, w.ends(1), w.ends(1)
	}
	switch w.r.IntN(6) {
	case 0:
		if i < 3 { // a source is of one intent: on links rules do not know where packets of a source came in
			s.Selector.SetUint(openflow.FieldEthSrc, 0x020000000000+uint64(i+1))
		}
	case 1:
		s.Selector.SetUint(openflow.FieldVLANVID, []uint64{0, 0x1005}[w.r.IntN(2)])
	case 2, 3:
		s.Selector.SetUint(openflow.FieldEthType, 0x0800)
		mask := []uint64{0xffffffff, 0xfffffff8}[w.r.IntN(2)]
		s.Selector.SetUintMasked(openflow.FieldIPv4Dst, 0x0a000000+uint64(8*w.r.IntN(2)), mask)
	case 4:
		s.Selector.SetUint(openflow.FieldEthType, 0x0800)
	}
	return s
}

// wanted is where frames of an intent are to leave that come in at a port: all that have the highest priority there.
func (p *plane) wanted(list []Intent, from netview.Point, f frameOf) (to []netview.Point, id string) {
	best := -1
	for i := range list {
		s := &list[i].Spec
		if list[i].State != Installed || int(s.Priority) < best || !f.matches(s) || !slices.Contains(s.Ingress(nil), from) {
			continue
		}
		best, to, id = int(s.Priority), s.Egress(nil), s.ID
	}
	return to, id
}

// check has every frame of the space come in at every edge port: it leaves where the intent that has it says, once and as it
// came in, and nowhere else; one that no intent has, or that a guard takes, leaves nowhere.
func (p *plane) check() (delivered, guarded int) {
	list, _ := p.engine.List(0, 1<<20, nil)
	for dpid := range p.switches {
		for port := range uint32(16) {
			from := at(dpid, port+1)
			inner := false
			for range p.view.Snapshot().LinksFromPoint(from) {
				inner = true
			}
			if inner {
				continue
			}
			for _, f := range frames() {
				to, id := p.wanted(list, from, f)
				if f.vlan != 0 && p.guards[p.engine.guard.key(dpid, f.vlan)] {
					to = nil
					guarded++
				}
				var got []netview.Point
				for _, out := range p.walk(heading{from, f.bytes()}) {
					got = append(got, out.at)
					if !bytes.Equal(out.frame, f.bytes()) {
						p.t.Fatalf("%+v in at %v, of %s: leaves at %v as %x, it came in as %x", f, from, id, out.at, out.frame, f.bytes())
					}
				}
				slices.SortFunc(got, netview.Point.Compare)
				if !slices.Equal(got, to) {
					for i := range list {
						p.t.Logf("%v is %v", &list[i].Spec, list[i].State)
					}
					p.t.Fatalf("%+v in at %v, of %s: leaves at %v, want %v", f, from, id, got, to)
				}
				delivered += len(got)
			}
		}
	}
	return delivered, guarded
}

// TestTagsEnumerated: in random networks with random intents, wide ones and others, of OpenFlow 1.3 and 1.0, every frame
// of a small space goes where it should. Links fail, hosts use VLANs.
func TestTagsEnumerated(t *testing.T) {
	need.OneGoroutine(t)
	delivered, guarded, tagged, untaggable := 0, 0, 0, 0
	for seed := range uint64(150) {
		w := newTwin(t, 1000+seed)
		w.matches = nil
		old := make(map[netview.DPID]bool)
		for i := range 6 {
			if seed%3 == 1 && w.r.IntN(3) == 0 {
				old[netview.DPID(i+1)] = true
			}
		}
		p := newPlane(w.network, old)
		var reqs []Request
		for i := range 1 + w.r.IntN(7) {
			reqs = append(reqs, Request{Op: Create, Spec: randomWide(w, i)})
		}
		w.engine.Step(time.Time{})
		w.submit(false, reqs...)
		for range 4 {
			w.rest()
			p.guard()
			d, g := p.check()
			delivered, guarded = delivered+d, guarded+g
			list, _ := w.engine.List(0, 1<<20, nil)
			for _, in := range list {
				if in.Rules.Tagged() {
					tagged++
				}
				if in.Code == NoTag {
					untaggable++
				}
			}
			switch w.r.IntN(3) {
			case 0:
				w.put(w.links[w.r.IntN(len(w.links))], w.r.IntN(2) == 0, netview.LinkConfirmed)
			case 1:
				w.host(netview.HostID{MAC: hostID(9).MAC, VLAN: uint16(1 + w.r.IntN(2))}, w.edge())
			default:
				w.submit(false, Request{Op: Replace, Spec: randomWide(w, w.r.IntN(len(reqs)))})
			}
		}
	}
	t.Logf("%d frames delivered, %d guarded, %d intents with tags, %d that cannot have any", delivered, guarded, tagged, untaggable)
	if delivered < 1000 || guarded < 1000 || tagged < 200 || untaggable < 10 {
		t.Error("too few to tell")
	}
}

// TestTagsInFlight: packets of wide intents are on their way, at any switch, while their paths change as operators and
// hosts have them do: none is lost, none leaves where it should not, or not as it came in.
func TestTagsInFlight(t *testing.T) {
	arrived, moves := 0, uint64(0)
	for seed := range uint64(120) {
		w := newTwin(t, 5000+seed)
		w.matches = nil
		p := newPlane(w.network, nil)
		var reqs []Request
		for i := range 2 + w.r.IntN(4) {
			s := randomWide(w, i)
			s.Selector, s.Priority = openflow.Match{}, uint16(100+i)
			reqs = append(reqs, Request{Op: Create, Spec: s})
		}
		w.engine.Step(time.Time{})
		w.submit(false, reqs...)
		w.rest()
		f := &flight{plane: p, r: w.r}
		list, _ := w.engine.List(0, 1<<20, nil)
		for _, in := range list {
			if in.State == Installed {
				f.intents = append(f.intents, in)
			}
		}
		w.moment = f.moment
		for range 8 {
			if w.r.IntN(4) == 0 {
				w.host(netview.HostID{MAC: hostID(9).MAC, VLAN: uint16(1 + w.r.IntN(6))}, w.edge())
				w.engine.Step(time.Time{})
			} else {
				w.planEvent()
			}
			f.drive()
		}
		arrived, moves = arrived+f.arrived, moves+w.engine.core.counts.Moves
	}
	t.Logf("%d packets arrived, %d moves", arrived, moves)
	if arrived < 1500 || moves < 200 {
		t.Error("too few to tell")
	}
}

// flight is the packets that are on their way.
type flight struct {
	*plane
	r       *rand.Rand
	intents []Intent
	packets []packetOf
	arrived int
}

// packetOf is one packet of an intent and its copies: it has arrived when it was at all ends.
type packetOf struct {
	in     *Intent
	copies []heading
	left   []netview.Point
}

// moment sends packets, and has some go a hop on.
func (f *flight) moment() {
	f.guard()
	if in := &f.intents[f.r.IntN(len(f.intents))]; f.active(in) {
		from := in.Spec.Ingress(nil)
		entered := heading{from[f.r.IntN(len(from))], frameOf{src: 1, dst: 1}.bytes()}
		f.packets = append(f.packets, packetOf{in, []heading{entered}, in.Spec.Egress(nil)})
	}
	for i := range f.packets {
		if f.r.IntN(3) == 0 {
			f.step(&f.packets[i])
		}
	}
	f.packets = slices.DeleteFunc(f.packets, func(p packetOf) bool { return len(p.copies) == 0 })
}

// active reports whether an intent is what has packets at its ingress: it is the highest there, and has the spec that it had.
func (f *flight) active(in *Intent) bool {
	now, _ := f.engine.Get(in.Spec.ID)
	if now.Rules == nil || now.State == Failed {
		return false
	}
	for i := range f.intents {
		o := &f.intents[i]
		if o.Spec.Priority > in.Spec.Priority && slices.ContainsFunc(o.Spec.Ingress(nil), func(p netview.Point) bool {
			return slices.Contains(in.Spec.Ingress(nil), p)
		}) {
			return false
		}
	}
	return true
}

func (f *flight) step(p *packetOf) {
	h := p.copies[0]
	on, out := f.hop(h)
	if len(on)+len(out) == 0 {
		f.t.Fatalf("a packet of %v is lost at %v: %x", &p.in.Spec, h.at, h.frame)
	}
	p.copies = append(p.copies[1:], on...)
	for _, o := range out {
		if !slices.Contains(p.in.Spec.Egress(nil), o.at) || !bytes.Equal(o.frame, frameOf{src: 1, dst: 1}.bytes()) {
			f.t.Fatalf("a packet of %v leaves at %v as %x", &p.in.Spec, o.at, o.frame)
		}
		p.left = slices.DeleteFunc(p.left, func(at netview.Point) bool { return at == o.at })
	}
	if len(p.copies) > 50 {
		f.t.Fatalf("a packet of %v circles", &p.in.Spec)
	}
	if len(p.copies) == 0 {
		if f.arrived++; len(p.left) > 0 {
			f.t.Fatalf("a packet of %v does not arrive at %v", &p.in.Spec, p.left)
		}
	}
}

// land has all packets arrive: time is about to pass.
func (f *flight) land() {
	for i := range f.packets {
		for len(f.packets[i].copies) > 0 {
			f.step(&f.packets[i])
		}
	}
	f.packets = f.packets[:0]
}

// drive runs the network until it is at rest. Packets are on their way for no longer than time stands still.
func (f *flight) drive() {
	for quiet := f.now.Add(2 * time.Minute); ; {
		f.intent.commit(nil)
		f.chosen.commit(nil)
		next := f.engine.Step(time.Time{})
		f.guard()
		if len(f.orders) > 0 {
			f.answer()
			continue
		}
		if f.engine.Waiting() {
			continue
		}
		if f.land(); next.IsZero() || next.After(quiet) {
			return
		}
		if next.After(f.now) {
			f.now = next
		}
	}
}
