package tenancy

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/stats"
	"github.com/weirnet/weir/tenant"
)

// fixture has tenancies over a view, with switches 1 to 3 of three ports: 1/1 leads to 2/1. It keeps the rules that are ordered.
type fixture struct {
	t     *testing.T
	all   *Tenancies
	facts *netview.Facts
	rules map[*ruleset.Set]bool
	hosts []netview.HostID // that Weir was to forget
}

func newFixture(t *testing.T) *fixture {
	view := netview.New(netview.Limits{})
	b := &fixture{t: t, facts: view.Facts(), rules: make(map[*ruleset.Set]bool)}
	b.all = New(Config{View: view, Domain: 1, Own: func([]byte) bool { return false },
		DropHost: func(id netview.HostID) { b.hosts = append(b.hosts, id) },
		Orders: func(list []ruleset.Order) {
			for _, o := range list {
				if b.rules[o.Rules] != o.Remove {
					t.Errorf("a rule is ordered twice, or removed that is not there: %v", o)
				}
				if b.rules[o.Rules] = true; o.Remove {
					delete(b.rules, o.Rules)
				}
				for other := range b.rules { // of two in one place the later one stands
					if other != o.Rules && other.SamePlace(0, o.Rules, 0) {
						delete(b.rules, other)
					}
				}
			}
		}})
	b.facts.Update(func(tx *netview.FactsTx) {
		for dpid := netview.DPID(1); dpid <= 3; dpid++ {
			sw := &netview.Switch{DPID: dpid, Version: openflow.V13, Tables: 254}
			for port := uint32(1); port <= 3; port++ {
				role := netview.PortEdge
				if port == 1 && dpid < 3 {
					role = netview.PortLink
				}
				sw.Ports = append(sw.Ports, netview.Port{Number: port, Up: true, Role: role})
			}
			tx.PutSwitch(sw)
		}
		for _, k := range []netview.LinkKey{{Src: at(1, 1), Dst: at(2, 1)}, {Src: at(2, 1), Dst: at(1, 1)}} {
			tx.PutLink(&netview.Link{LinkKey: k, Up: true})
		}
	})
	return b
}

func at(dpid netview.DPID, port uint32) netview.Point { return netview.Point{DPID: dpid, Port: port} }

// define defines tenants.
func (b *fixture) define(list ...tenant.Definition) {
	b.t.Helper()
	all := tenant.New()
	for _, d := range list {
		if err := all.Put(d); err != nil {
			b.t.Fatal(err)
		}
	}
	b.all.Set(all)
	b.all.Begin()
}

// classes are the rules of table 0 at a switch: the port in, and whether they drop.
func (b *fixture) classes(dpid netview.DPID) string {
	var list []string
	for set := range b.rules {
		_, hop := set.At(0)
		if hop.DPID != dpid || set.Table != 0 {
			continue
		}
		what := "drop"
		if len(hop.Do.Instructions()) > 0 {
			what = "goto"
		}
		if len(hop.Do.Objects()) > 0 {
			what = "metered"
		}
		list = append(list, fmt.Sprintf("%s %d", what, hop.In))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// TestClassification: a tenant's packets are told at every switch. They are its own at the ports that it has, of links only
// with the other end; at all others, and at switches where it has none, they are dropped. When it is gone all is as before.
func TestClassification(t *testing.T) {
	b := newFixture(t)
	d := tenant.Definition{Name: "red", Number: 1, Ports: []netview.Point{at(1, 1), at(1, 2)}}
	var vlan openflow.Match
	if err := vlan.SetText("vlan_vid", "100"); err != nil {
		t.Fatal(err)
	}
	d.Space = []tenant.Region{{Priority: 10, Match: vlan}}
	want := func(when string, one, two, three string) {
		t.Helper()
		for i, want := range []string{one, two, three} {
			if got := b.classes(netview.DPID(i + 1)); got != want {
				t.Errorf("%s: switch %d has %q, want %q", when, i+1, got, want)
			}
		}
	}
	b.define(d)
	want("without the other end of the link", "drop 0, goto 2", "drop 0", "drop 0")
	d.Ports = append(d.Ports, at(2, 1))
	b.define(d)
	want("with it", "drop 0, goto 1, goto 2", "drop 0, goto 1", "drop 0")
	d.Ports = []netview.Point{at(1, 0)}
	b.define(d)
	want("all ports of a switch, without the other end", "drop 0, goto 2, goto 3", "drop 0", "drop 0")
	d.Ports = []netview.Point{tenant.AllPorts}
	b.define(d)
	want("all ports", "goto 0", "goto 0", "goto 0")
	b.define()
	want("without the tenant", "", "", "")
	if len(b.rules) > 0 {
		t.Errorf("%d rules are left", len(b.rules))
	}
}

// TestProbesOfTenants: of two tenants that have sent equal frames each gets its own, by the link; one that guesses another's
// frame gets nothing of it; and each has room of its own.
func TestProbesOfTenants(t *testing.T) {
	b := newFixture(t)
	p, frame := &b.all.probes, []byte("a discovery frame of both")
	p.sent(2, at(3, 1), frame, 0) // out of a port without a link
	p.sent(1, at(1, 1), frame, 0)
	if got := p.arrived(at(2, 1), frame, time.Second, b.all.leadsTo); got != 1 {
		t.Errorf("what came over the link of tenant 1 is tenant %d's", got)
	}
	if got := p.arrived(at(2, 1), frame, time.Second, b.all.leadsTo); got != 0 {
		t.Errorf("what came once more is tenant %d's", got)
	}
	if got := p.arrived(at(3, 2), frame, time.Second, b.all.leadsTo); got != 2 {
		t.Errorf("what came by a port without a link is tenant %d's", got)
	}
	for i := range 2 * probesMax {
		p.sent(2, at(3, 1), fmt.Appendf(nil, "%d", i), time.Second)
	}
	p.sent(1, at(1, 1), frame, time.Second)
	if got := p.arrived(at(2, 1), frame, time.Second, b.all.leadsTo); got != 1 {
		t.Errorf("beside a tenant that floods, tenant %d has the frame", got)
	}
	if got := p.arrived(at(3, 2), []byte("0"), 2*time.Second+probeLife, b.all.leadsTo); got != 0 {
		t.Errorf("what is older than it may be is tenant %d's", got)
	}
}

// TestRefusedClassification: a rule of classification that a switch has refused is ordered again after a while, and no other.
func TestRefusedClassification(t *testing.T) {
	b := newFixture(t)
	now := time.Unix(1000, 0)
	b.all.cfg.Now = func() time.Time { return now }
	b.define(tenant.Definition{Name: "red", Number: 1, Ports: []netview.Point{at(3, 1), at(3, 2)}})
	if got := b.classes(3); got != "goto 1, goto 2" {
		t.Fatalf("switch 3 has %q", got)
	}
	for set := range b.rules {
		if _, hop := set.At(0); hop.In == 2 {
			delete(b.rules, set)
			b.all.Outcomes([]ruleset.Outcome{{Rules: set, Result: ruleset.Refused, Reason: "the table is full"}})
		}
	}
	if next := b.all.turn(); !next.Equal(now.Add(retryAfter)) || b.classes(3) != "goto 1" {
		t.Errorf("at once: the next turn at %v, switch 3 has %q", next, b.classes(3))
	}
	now = now.Add(retryAfter)
	if b.all.turn(); b.classes(3) != "goto 1, goto 2" {
		t.Errorf("later: switch 3 has %q", b.classes(3))
	}
}

// TestBandwidth: the packets of a tenant whose bandwidth is limited pass a meter of its own, whoever has the same limit. Where
// the switch takes none, they pass without, the state says why, and it is tried again with the switch's next session.
func TestBandwidth(t *testing.T) {
	b := newFixture(t)
	b.change(2, func(sw *netview.Switch) { sw.Version, sw.Tables = openflow.V10, 1 })
	red := tenant.Definition{Name: "red", Number: 1, Ports: []netview.Point{at(1, 2), at(2, 2), at(3, 2)},
		Limits: tenant.Limits{Mbps: 7}}
	blue := red
	blue.Name, blue.Number, blue.Ports = "blue", 2, []netview.Point{at(3, 3)}
	b.define(red, blue)
	problems := func() (list []string) {
		state, _ := b.all.State("red")
		for i := range state {
			list = append(list, state[i].Bandwidth)
		}
		return list
	}
	if got := b.classes(1) + "; " + b.classes(3); got != "metered 2; metered 2, metered 3" {
		t.Fatalf("the switches have %q", got)
	}
	if list := problems(); list[0] != "" || !strings.Contains(list[1], "no meters") || list[2] != "" {
		t.Errorf("the state says %q", list)
	}
	keys := make(map[string]bool)
	var refused *ruleset.Set
	for set := range b.rules {
		if _, hop := set.At(0); hop.DPID == 3 {
			if keys[hop.Do.Objects()[0].Key()] = true; hop.In == 2 {
				refused = set
			}
		}
	}
	if len(keys) != 2 {
		t.Error("two tenants share a meter")
	}
	b.all.Outcomes([]ruleset.Outcome{{Rules: refused, Result: ruleset.Refused, Reason: "the switch has no meters"}})
	b.all.turn()
	if got := b.classes(1) + "; " + b.classes(3); got != "metered 2; goto 2, metered 3" {
		t.Errorf("after the refusal the switches have %q", got)
	}
	if list := problems(); list[0] != "" || list[2] != "the switch has no meters" {
		t.Errorf("after the refusal the state says %q", list)
	}
	b.change(3, func(sw *netview.Switch) { sw.Since = sw.Since.Add(time.Second) })
	if b.all.turn(); b.classes(3) != "metered 2, metered 3" || problems()[2] != "" {
		t.Errorf("with the next session switch 3 has %q, and the state says %q", b.classes(3), problems())
	}
	red.Limits.Mbps = 0
	b.define(red, blue)
	if got := b.classes(1) + "; " + b.classes(3) + fmt.Sprint(problems()); got != "goto 2; goto 2, metered 3[  ]" {
		t.Errorf("without a limit the switches have %q", got)
	}
}

// TestPortCounters: a tenant that has a port alone is told what the physical switch has counted there; one that shares ports with
// others is not told of their packets, and nothing is made up.
func TestPortCounters(t *testing.T) {
	b := newFixture(t)
	of := stats.Port{Number: 2}
	of.Counts[stats.RxPackets], of.Counts[stats.TxBytes], of.Counts[stats.RxErrors] = 7, 700, stats.NotCounted
	b.all.cfg.Counters = func(dpid netview.DPID) *stats.Switch {
		return &stats.Switch{DPID: dpid, Ports: &stats.Ports{List: []stats.Port{of}}}
	}
	d := tenant.Definition{Name: "red", Number: 1, Ports: []netview.Point{at(3, 2), at(3, 3)}}
	counted := func(port uint32) string {
		p := openflow.PortStats{Port: port, RxPackets: 1, Collisions: 1}
		b.all.at(3).of(1).PortCounters(&p)
		return fmt.Sprint(p.RxPackets, p.TxBytes, p.RxErrors == stats.NotCounted, p.Collisions == stats.NotCounted)
	}
	const none = "18446744073709551615 18446744073709551615 true true"
	b.define(d)
	if alone, unknown := counted(2), counted(3); alone != "7 700 true true" || unknown != none {
		t.Errorf("alone it is told %s, and of a port that nobody knows %s", alone, unknown)
	}
	var vlan openflow.Match
	if err := vlan.SetText("vlan_vid", "100"); err != nil {
		t.Fatal(err)
	}
	d.Space = []tenant.Region{{Priority: 10, Match: vlan}}
	b.define(d)
	if shared := counted(2); shared != none {
		t.Errorf("at a port of others too it is told %s", shared)
	}
}

// change changes a switch in the view.
func (b *fixture) change(dpid netview.DPID, do func(sw *netview.Switch)) {
	b.facts.Update(func(tx *netview.FactsTx) {
		sw, _ := b.all.cfg.View.Snapshot().Switch(dpid)
		next := *sw
		next.Ports = slices.Clone(sw.Ports)
		do(&next)
		tx.PutSwitch(&next)
	})
}

// TestPortsOfTenants: while a port is up and it is not known where it leads, the tenant does not have it; nor when the link that
// was found there is down, if it led to others.
func TestPortsOfTenants(t *testing.T) {
	b := newFixture(t)
	b.define(tenant.Definition{Name: "red", Number: 1, Ports: []netview.Point{at(1, 1), at(1, 2), at(1, 3)}})
	ports := func() string {
		b.all.turn()
		list, _ := b.all.State("red")
		return fmt.Sprint(list[0].Ports)
	}
	change := func(do func(sw *netview.Switch)) { b.change(1, do) }
	if got := ports(); got != "[2 3]" {
		t.Errorf("port 1 leads to another's port: the tenant has %s", got)
	}
	change(func(sw *netview.Switch) { sw.Ports[0].Up, sw.Ports[2].Role = false, netview.PortUnknown })
	if got := ports(); got != "[2]" {
		t.Errorf("its link is down, and of port 3 it is not known: the tenant has %s", got)
	}
	change(func(sw *netview.Switch) { sw.Ports[2].Role = netview.PortEdge })
	if got := ports(); got != "[2 3]" {
		t.Errorf("hosts may be at port 3: the tenant has %s", got)
	}
}

// TestClaims: whose a packet-in is, that no entry of a tenant's has shown: in a space it is the tenant's at whatever port, at a
// port of a tenant without a space that tenant's, else nobody's; and so with a frame of discovery, but for Weir's own.
func TestClaims(t *testing.T) {
	b := newFixture(t)
	d := tenant.Definition{Name: "red", Number: 1, Ports: []netview.Point{at(3, 1)}}
	var own openflow.Match
	if err := own.SetText("eth_src", "02:00:00:00:00:01"); err != nil {
		t.Fatal(err)
	}
	d.Space = []tenant.Region{{Priority: 10, Match: own}}
	b.define(d, tenant.Definition{Name: "green", Number: 2, Ports: []netview.Point{at(1, 3)}})
	weirs := false
	b.all.cfg.Own = func([]byte) bool { return weirs }
	p := &part{all: b.all, physical: b.all.at(1), cookies: true}
	claimed := func(port uint32, src byte, etherType uint16) bool {
		frame := make([]byte, 60)
		copy(frame, []byte{2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, src, byte(etherType >> 8), byte(etherType)})
		return p.Claim(&openflow.PacketIn{InPort: port, Data: frame})
	}
	for _, x := range []struct {
		port      uint32
		src       byte
		etherType uint16
		own, want bool
	}{
		{2, 1, 0x0800, false, true}, {2, 5, 0x0800, false, false}, {3, 5, 0x0800, false, true},
		{2, 1, 0x88cc, false, true}, {2, 5, 0x88cc, false, false}, {3, 5, 0x88cc, false, true}, {3, 5, 0x88cc, true, false},
	} {
		weirs = x.own
		if got := claimed(x.port, x.src, x.etherType); got != x.want {
			t.Errorf("%+v: claimed %t", x, got)
		}
	}
}

// TestCopies: who has a read-only region is shown what others are, or nobody, of the packets in it, at the ports that it has;
// not what is its own, and no discovery frames. It does not claim them, and its ports are told by no rule.
func TestCopies(t *testing.T) {
	b := newFixture(t)
	now := time.Unix(1000, 0)
	b.all.cfg.Now = func() time.Time { return now } // and so the limits of packet-ins are not renewed
	vlan := func(id uint64) (m openflow.Match) {
		m.SetUint(openflow.FieldVLANVID, uint64(openflow.VLANPresent)|id)
		return m
	}
	one := tenant.Limits{PacketIns: 1}
	watched := []tenant.Region{{Match: vlan(5)}, {Match: vlan(6)}, {Match: vlan(7)}}
	lldp := openflow.Match{}
	lldp.SetUint(openflow.FieldEthType, 0x88cc)
	spies := []tenant.Definition{
		{Name: "alone", Number: 2, Ports: []netview.Point{at(3, 1), at(3, 2)},
			Watched: append(watched, tenant.Region{Match: lldp})},
		{Name: "both", Number: 3, Ports: []netview.Point{at(3, 2)}, Watched: watched,
			Space: []tenant.Region{{Priority: 20, Match: vlan(6)}}},
	}
	for i := range spies {
		spies[i].Limits = one
	}
	spies = append(spies, tenant.Definition{Name: "red", Number: 1, Limits: one,
		Ports: []netview.Point{at(3, 1), at(3, 2), at(3, 3)}, Space: []tenant.Region{{Priority: 10, Match: vlan(5)}}})
	b.define(spies...)
	if got := b.classes(3); got != "drop 0, drop 0, goto 1, goto 2, goto 2, goto 3" {
		t.Errorf("switch 3 has %q: red's, and those of one region of the tenant with both", got)
	}
	p := &part{all: b.all, physical: b.all.at(3), cookies: true}
	shown := func(numbers ...uint16) (list []uint64) {
		for _, number := range numbers {
			list = append(list, p.physical.of(number).sw.Losses().PacketIns)
		}
		return list
	}
	claim := func(port uint32, row uint16, tag ...byte) bool {
		frame := append([]byte{2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1}, tag...)
		pin := &openflow.PacketIn{InPort: port, Data: append(frame, make([]byte, 46)...)}
		if row != 0 {
			pin.Cookie = plan.Cookie{Kind: plan.KindTenant, Domain: 1, Owner: plan.TenantOwner(row, 9)}.Encode()
		}
		return p.Claim(pin)
	}
	claim(2, 0, 0x81, 0, 0, 7, 8, 0) // what the limits let through
	for _, x := range []struct {
		what    string
		port    uint32
		row     uint16
		tag     []byte
		claimed bool
		copies  []uint64 // to red, alone and both
	}{
		{"red's, where both watch", 2, 1, []byte{0x81, 0, 0, 5, 8, 0}, true, []uint64{0, 1, 1}},
		{"red's, where one has the port", 1, 1, []byte{0x81, 0, 0, 5, 8, 0}, true, []uint64{0, 1, 0}},
		{"red's, where none has", 3, 1, []byte{0x81, 0, 0, 5, 8, 0}, true, []uint64{0, 0, 0}},
		{"in red's space, of no entry", 2, 0, []byte{0x81, 0, 0, 5, 8, 0}, true, []uint64{0, 1, 1}},
		{"nobody's", 2, 0, []byte{0x81, 0, 0, 7, 8, 0}, false, []uint64{0, 1, 1}},
		{"in no region", 2, 0, []byte{0x81, 0, 0, 8, 8, 0}, false, []uint64{0, 0, 0}},
		{"the tenant's own", 2, 3, []byte{0x81, 0, 0, 6, 8, 0}, true, []uint64{0, 1, 0}},
		{"in the tenant's own space, of no entry", 2, 0, []byte{0x81, 0, 0, 6, 8, 0}, true, []uint64{0, 1, 0}},
		{"a discovery frame", 2, 0, []byte{0x88, 0xcc, 2, 7, 4, 0}, false, []uint64{0, 0, 0}},
	} {
		before := shown(1, 2, 3)
		claimed := claim(x.port, x.row, x.tag...)
		after := shown(1, 2, 3)
		for i := range after {
			after[i] -= before[i]
		}
		if claimed != x.claimed || !slices.Equal(after, x.copies) {
			t.Errorf("%s: claimed %t, copies %v, want %t and %v", x.what, claimed, after, x.claimed, x.copies)
		}
	}
	spies[0].Watched, spies[1].Watched = []tenant.Region{{Match: vlan(8)}}, nil
	b.define(spies...)
	before := shown(2, 3)
	claim(2, 0, 0x81, 0, 0, 7, 8, 0)
	claim(2, 0, 0x81, 0, 0, 8, 8, 0)
	if after := shown(2, 3); after[0] != before[0]+1 || after[1] != before[1] {
		t.Errorf("with another read-only region, and with none, copies are %v, after %v", after, before)
	}
	b.define(spies[1])
	spies[0].Watched = nil
	b.define(spies[0])
	if got := b.classes(3); got != "goto 1, goto 2" {
		t.Errorf("when it has all at its ports, switch 3 has %q", got)
	}
}

// TestFewerPortsAtOneTable: where tenants share a table, the space that a virtual switch keeps to follows the ports of the
// definition: else rules for all ports of a switch would stay when the tenant has some of them only.
func TestFewerPortsAtOneTable(t *testing.T) {
	b := newFixture(t)
	b.facts.Update(func(tx *netview.FactsTx) {
		tx.PutSwitch(&netview.Switch{DPID: 3, Version: openflow.V10, Tables: 1, Ports: []netview.Port{
			{Number: 2, Up: true, Role: netview.PortEdge}, {Number: 3, Up: true, Role: netview.PortEdge}}})
	})
	var vlan openflow.Match
	vlan.SetUint(openflow.FieldVLANVID, 0x1064)
	d := tenant.Definition{Name: "red", Number: 1, Ports: []netview.Point{at(3, 0)},
		Space: []tenant.Region{{Priority: 10, Match: vlan}}}
	b.define(d)
	red := b.all.tenancies["red"]
	if !red.space.All(3) {
		t.Fatal("red has not all ports of the switch")
	}
	d.Ports = []netview.Point{at(3, 2)}
	if b.define(d); red.space.All(3) {
		t.Error("red's rules are still for all ports of the switch")
	}
}

// TestDefinitionsAreCopiedMeanwhile: while the part makes spaces of definitions, who changes definitions may copy them (with
// -race).
func TestDefinitionsAreCopiedMeanwhile(t *testing.T) {
	b := newFixture(t)
	all := tenant.New()
	var vlan openflow.Match
	if err := vlan.SetText("vlan_vid", "100"); err != nil {
		t.Fatal(err)
	}
	if err := all.Put(tenant.Definition{Name: "red", Number: 1, Ports: []netview.Point{at(1, 1)},
		Space: []tenant.Region{{Priority: 10, Match: vlan}}}); err != nil {
		t.Fatal(err)
	}
	var other sync.WaitGroup
	other.Go(func() {
		if n := len(all.Clone().Space("red").Priorities()); n != 1 {
			t.Errorf("%d priorities, want 1", n)
		}
	})
	b.all.Set(all)
	b.all.Begin()
	other.Wait()
}
