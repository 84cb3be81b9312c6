package vswitch

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// TestLabels: places keep the order of priorities, none is used twice, also while those that move do it one by one, and
// there is room as long as one is free.
func TestLabels(t *testing.T) {
	moves := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := labels{size: 2 + r.IntN(12)}
		is := map[uint16]int{} // where entries stand
		for range 60 {
			p := uint16(1<<r.IntN(17) - 1 - r.IntN(2))
			if r.IntN(3) == 0 {
				l.give(p)
				delete(is, p)
				continue
			}
			_, has := is[p]
			if room := l.room(p); room != (has || len(is) < l.size) {
				t.Fatalf("seed %d: room %t for %d, with %d of %d places used", seed, room, p, len(is), l.size)
			} else if !room {
				continue
			}
			for _, q := range l.take(p) {
				moves++
				for other, at := range is {
					if other != q && at == l.at(q) {
						t.Fatalf("seed %d: %d moves to %d, where %d is", seed, q, at, other)
					}
				}
				is[q] = l.at(q)
			}
			is[p] = l.at(p)
			for i, x := range l.of {
				if is[x.priority] != x.at || x.at < 0 || x.at >= l.size ||
					i > 0 && (l.of[i-1].at >= x.at || l.of[i-1].priority >= x.priority) {
					t.Fatalf("seed %d: after %d the places of %v are %v", seed, p, is, l.of)
				}
			}
		}
		size := 1 + r.IntN(12)
		before := len(l.of)
		if lost := l.resize(size); len(lost) != max(before-size, 0) || len(l.of)+len(lost) != before {
			t.Fatalf("seed %d: %d places for %d priorities: %v are lost", seed, size, before, lost)
		}
		for i, x := range l.of {
			if x.at >= size || i > 0 && l.of[i-1].at >= x.at {
				t.Fatalf("seed %d: of %d places are used %v", seed, size, l.of)
			}
		}
	}
	if moves < 500 {
		t.Errorf("%d moves: the test shows nothing", moves)
	}
}

// regions are n of them, of n priorities, that have nothing in common.
func regions(n int) (list []tenant.Region) {
	for i := range n {
		var m openflow.Match
		m.SetUint(openflow.FieldEthSrc, uint64(i))
		list = append(list, tenant.Region{Priority: uint16(i + 1), Match: m})
	}
	return list
}

// TestTableFull: an entry for which there is no priority, or too many rules, is refused, and nothing is ordered for it; when
// a port more makes them too many, it goes.
func TestTableFull(t *testing.T) {
	d := newDesk(t, Config{Single: true}, regions(1000)...)
	add := func(priority uint16) error {
		return d.sw.FlowMod(openflow.V13, flowMod5(priority), Origin{}, 0, d)
	}
	full := func(err error) bool {
		var as *flowtable.Error
		return errors.As(err, &as) && as.Code == openflow.FlowModFailedTableFull
	}
	size := singleCount / 1001
	for p := range uint16(size - blockLabels) {
		if err := add(100 + p); err != nil {
			t.Fatal(err)
		}
		if n := len(d.take()); n < 2000 {
			t.Fatalf("%d rules for 1000 regions at 2 ports", n)
		}
	}
	if err := add(50); !full(err) || len(d.ordered) > 0 {
		t.Errorf("one priority more: %v, and %d rules are ordered", err, len(d.ordered))
	}
	for port := uint32(3); port <= 5; port++ {
		d.sw.SetPort(openflow.Port{Number: port}, 0, d)
		d.check()
	}
	if n := d.sw.Tables().Entries(); len(d.refused) != size-blockLabels || n != 0 ||
		d.refused[0].Code != openflow.FlowModFailedTableFull {
		t.Errorf("with 5 ports %d entries are there, and %d were refused", n, len(d.refused))
	}
	d.take()
	if err := add(100); !full(err) || len(d.ordered) > 0 {
		t.Errorf("an entry of 5000 rules: %v, and %d rules are ordered", err, len(d.ordered))
	}
}

// flowMod5 is an entry of a priority.
func flowMod5(priority uint16) *openflow.FlowMod {
	m := flowMod(0, openflow.Match{}, openflow.Apply(openflow.Output(1)))
	m.Priority = priority
	return m
}

// TestOneTable: what one table cannot have is refused, and every rule is in it, within the tenants' band.
func TestOneTable(t *testing.T) {
	d := newDesk(t, Config{Single: true}, regions(1)...)
	d.sw.SetMiss(true, 0, d)
	for _, m := range []*openflow.FlowMod{
		flowMod(1, openflow.Match{}, openflow.Apply(openflow.Output(1))),
		flowMod(0, openflow.Match{}, openflow.GotoTable(1)),
		flowMod(0, matching(t, "metadata", "1"), openflow.Apply(openflow.Output(1))),
		flowMod(0, openflow.Match{}, openflow.Instruction{Type: openflow.InstructionWriteMetadata, Metadata: 1, MetadataMask: 1}),
	} {
		if err := d.sw.FlowMod(openflow.V13, m, Origin{}, 0, d); err == nil {
			t.Errorf("%v is taken", m)
		}
	}
	d.do(openflow.V13, flowMod(0, openflow.Match{}, openflow.Apply(openflow.Output(1))))
	var ports []uint32
	for _, o := range d.take() {
		place := o.Rules.Place(0)
		if place.TableIn(true) != 0 || !plan.BandTenant.Holds(place.Priority) {
			t.Errorf("a rule stands at %+v", place)
		}
		ports = append(ports, place.In)
		d.tell(ruleset.Outcome{Rules: o.Rules, Result: ruleset.Installed})
	}
	if !slices.Equal(ports, []uint32{1, 2, 1, 2}) { // of misses, and of the entry
		t.Errorf("the rules are for ports %v", ports)
	}
	if n := d.sw.Tables().Features(openflow.V13).Tables; n != 1 {
		t.Errorf("the virtual switch has %d tables", n)
	}
}

// TestPacketIn10: what a switch of OpenFlow 1.0 shows is shown as of the entry that shows the frame.
func TestPacketIn10(t *testing.T) {
	d := newDesk(t, Config{Single: true, Version: openflow.V10})
	d.sw.SetMiss(true, 0, d)
	show := flowMod(0, matching(t, "in_port", "1"), openflow.Apply(openflow.OutputController(64), openflow.Output(2)))
	show.Cookie = 7
	d.do(openflow.V10, show)
	changed := flowMod(0, matching(t, "in_port", "2", "eth_dst", "00:00:00:00:00:00"),
		openflow.Apply(openflow.SetField(openflow.FieldEthDst, 5), openflow.OutputController(64)))
	d.do(openflow.V10, changed)
	d.do(openflow.V10, flowMod(0, matching(t, "in_port", "2", "eth_dst", "00:00:00:00:00:05"),
		openflow.Apply(openflow.Output(1))))
	d.sink.take()
	for _, x := range []struct {
		port   uint32
		dst    byte
		reason openflow.PacketInReason
		cookie uint64
		only10 bool
	}{{1, 0, openflow.ReasonAction, 7, false}, {2, 6, openflow.ReasonNoMatch, ^uint64(0), true},
		{2, 5, openflow.ReasonAction, ^uint64(0), false}} {
		frame := make([]byte, 60)
		frame[5] = x.dst
		p := d.sw.PacketIn10(&openflow.PacketIn{Reason: openflow.ReasonAction, InPort: x.port, Data: frame}, 0, d)
		if p.Reason != x.reason || p.Cookie != x.cookie || p.Only10 != x.only10 || p.InPort != x.port || len(p.Frame) != 60 {
			t.Errorf("port %d: %+v, want %+v", x.port, p, x)
		}
	}
	if frames, copies := d.sink.take(); len(frames)+len(copies) > 0 {
		t.Errorf("the switch sends %v, and shows %v", frames, copies)
	}
}

// TestMovesLoseNothing: while rules move to make room for another priority, packets meet one of an entry's rules after each
// order.
func TestMovesLoseNothing(t *testing.T) {
	d := newDesk(t, Config{Single: true}, regions(1000)...)
	physical, out := flowtable.New(flowtable.Config{Tables: 1}), &sink{}
	for port := uint32(1); port <= 2; port++ {
		physical.AddPort(openflow.Port{Number: port}, 0, out)
	}
	frame := make([]byte, 60)
	execute := func(watched bool) (moved int) {
		for i, o := range d.take() {
			var m openflow.FlowMod
			if o.Remove {
				moved++
				o.Rules.Removal(0, plan.DomainDefault, true, plan.OwnerMask, &m)
			} else {
				o.Rules.FlowMod(0, plan.DomainDefault, true, &m)
			}
			if err := physical.FlowMod(openflow.V13, &m, 0, out); err != nil {
				t.Fatal(err)
			}
			physical.Receive(1, frame, 0, out)
			if frames, _ := out.take(); watched && len(frames) != 1 {
				t.Errorf("after order %d the packet is not sent", i)
			}
		}
		return moved
	}
	add := func(priority uint16, port uint32) {
		m := flowMod(0, matching(t, "eth_src", "00:00:00:00:00:00"), openflow.Apply(openflow.Output(port)))
		m.Priority = priority
		d.do(openflow.V13, m)
	}
	add(100, 1)
	add(200, 2)
	execute(false)
	add(150, 1)
	if moved := execute(true); moved == 0 {
		t.Error("nothing has moved: the test shows nothing")
	}
}

// TestFewerPorts: an entry of a tenant that had all ports of a switch, and has one of them now, is for packets from that one.
func TestFewerPorts(t *testing.T) {
	w := newWorld(t, 1, true, openflow.V13)
	g := w.guests[0]
	all, one := tenant.New(), tenant.New()
	for tenants, port := range map[*tenant.Tenants]uint32{all: 0, one: 1} {
		d := *w.tenants.Get(g.name)
		d.Ports = []netview.Point{{DPID: 1, Port: port}}
		if err := tenants.Put(d); err != nil {
			t.Fatal(err)
		}
	}
	g.sw.SetSpace(all.Space(g.name), nil, 0, g)
	m := &openflow.FlowMod{Priority: 7, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))}}
	if err := g.sw.FlowMod(openflow.V13, m, Origin{}, 0, g); err != nil {
		t.Fatal(err)
	}
	w.drain()
	for _, port := range []uint32{2, 3} {
		g.sw.RemovePort(port, 0, g)
	}
	g.sw.SetSpace(one.Space(g.name), nil, 0, g)
	w.drain()
	for place := range standing(g.sw) {
		if in := g.sw.claims[place][0].rule.in; in != 1 {
			t.Errorf("a rule is for packets from port %d", in)
		}
	}
}

// TestPortZero: an entry for packets of port 0, which there is none, takes no rules: it is not one for all ports.
func TestPortZero(t *testing.T) {
	d := newDesk(t, Config{Single: true})
	m := flowMod(0, openflow.Match{}, openflow.Apply(openflow.Output(1)))
	m.Match.SetUint(openflow.FieldInPort, 0)
	d.do(openflow.V13, m)
	if list := d.take(); len(list) > 0 || len(d.refused) > 0 || d.sw.Tables().Entries() != 1 {
		t.Errorf("%d rules are ordered for it, and it was refused %d times: %v", len(list), len(d.refused), list)
	}
	d.check()
}
