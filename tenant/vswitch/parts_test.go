package vswitch

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// desk is a virtual switch with two ports, and what it orders.
type desk struct {
	sink
	t       *testing.T
	sw      *Switch
	ordered []ruleset.Order
	refused []*flowtable.Error
	now     time.Duration
}

func (d *desk) Order(o ruleset.Order)                  { d.ordered = append(d.ordered, o) }
func (d *desk) Refused(_ Origin, why *flowtable.Error) { d.refused = append(d.refused, why) }
func (d *desk) Confirmed(who Origin)                   { d.copies = append(d.copies, fmt.Sprint("barrier ", who.XID)) }
func (d *desk) FlowRemoved(m *openflow.FlowRemoved) {
	d.copies = append(d.copies, fmt.Sprint(m.Reason, " ", m.Packets))
}
func (d *desk) do(v openflow.Version, m *openflow.FlowMod) {
	d.t.Helper()
	if err := d.sw.FlowMod(v, m, Origin{}, d.now, d); err != nil {
		d.t.Fatal(err)
	}
	d.check()
}

func (d *desk) check() {
	d.t.Helper()
	if err := d.sw.Check(); err != nil {
		d.t.Fatal(err)
	}
}

// take returns what was ordered.
func (d *desk) take() []ruleset.Order {
	list := d.ordered
	d.ordered = nil
	return list
}

func (d *desk) tell(x ruleset.Outcome) {
	d.t.Helper()
	d.sw.Outcome(&x, d.now, d)
	d.check()
}

// told is what the switch has said.
func (d *desk) told(want string) {
	d.t.Helper()
	if _, list := d.sink.take(); fmt.Sprint(list) != want {
		d.t.Errorf("the switch says %v, want %s", list, want)
	}
}

func newDesk(t *testing.T, cfg Config, space ...tenant.Region) *desk {
	tenants := tenant.New()
	red := tenant.Definition{Name: "red", Number: 1, Ports: []netview.Point{{DPID: 1, Port: 1}, {DPID: 1, Port: 2}}, Space: space}
	if err := tenants.Put(red); err != nil {
		t.Fatal(err)
	}
	cfg.Tenant, cfg.DPID, cfg.Space, cfg.Rows = 1, 1, tenants.Space("red"), &Rows{}
	d := &desk{t: t, sw: New(cfg)}
	for port := uint32(1); port <= 2; port++ {
		d.sw.SetPort(openflow.Port{Number: port}, 0, d)
	}
	d.sink.take()
	return d
}

// strip is an entry of OpenFlow 1.0 that is two of 1.3.
func strip(set func(*openflow.FlowMod)) *openflow.FlowMod {
	m := flowMod(0, openflow.Match{}, openflow.Apply(openflow.Action{Type: openflow.ActionPopVLAN}, openflow.Output(1)))
	if set != nil {
		set(m)
	}
	return m
}

// TestPartsOfOneEntry: the barrier waits for all parts; the refusal of one ends all; two entries that would have a rule in
// one place have it one after the other.
func TestPartsOfOneEntry(t *testing.T) {
	d := newDesk(t, Config{Tables: 1})
	d.do(openflow.V10, strip(nil))
	parts := d.take()
	if len(parts) != 2 {
		t.Fatalf("%d rules are ordered, want 2", len(parts))
	}
	d.sw.Barrier(Origin{1, 1}, d)
	d.tell(ruleset.Outcome{Rules: parts[0].Rules, Result: ruleset.Installed})
	d.told("[]")
	d.tell(ruleset.Outcome{Rules: parts[1].Rules, Result: ruleset.Installed})
	d.told("[barrier 1]")

	d.do(openflow.V13, flowMod(0, matching(t, "vlan_vid", "none"), openflow.Apply(openflow.Output(2))))
	if list := d.take(); len(list) != 0 {
		t.Fatalf("in the place of the first part %v is ordered", list)
	}
	d.do(openflow.V10, strip(func(m *openflow.FlowMod) { m.Command, m.OutPort = openflow.FlowDelete, 1 }))
	list := d.take()
	if len(list) != 3 || !list[0].Remove || list[1].Remove || !list[2].Remove || !list[1].Rules.SamePlace(0, parts[0].Rules, 0) {
		t.Fatalf("when the entry goes, %v is ordered", list)
	}
	for _, o := range []ruleset.Order{list[0], list[2]} {
		d.tell(ruleset.Outcome{Rules: o.Rules, Result: ruleset.Removed})
	}

	d.do(openflow.V10, strip(func(m *openflow.FlowMod) { m.Priority = 9 }))
	parts = d.take()
	d.tell(ruleset.Outcome{Rules: parts[0].Rules, Result: ruleset.Installed})
	d.tell(ruleset.Outcome{Rules: parts[1].Rules, Result: ruleset.Refused, Code: openflow.FlowModFailedTableFull})
	if list := d.take(); len(list) != 1 || !list[0].Remove || list[0].Rules != parts[0].Rules || len(d.refused) != 1 {
		t.Errorf("after the refusal of a part %v is ordered, and %v told", list, d.refused)
	}
	if n := d.sw.Tables().Entries(); n != 1 {
		t.Errorf("%d entries are left, want 1", n)
	}
}

// TestIdleParts: an entry ends by its idle time-out when no packet has met any of its parts for that long.
func TestIdleParts(t *testing.T) {
	d := newDesk(t, Config{Tables: 1})
	d.do(openflow.V10, strip(func(m *openflow.FlowMod) { m.IdleTimeout, m.Flags = 10, openflow.FlagSendFlowRemoved }))
	rule := map[int]*ruleset.Set{}
	for i, o := range d.take() {
		rule[i] = o.Rules
		d.tell(ruleset.Outcome{Rules: o.Rules, Result: ruleset.Installed})
	}
	ends := func(at, part int, packets uint64) (back bool) {
		t.Helper()
		d.now = time.Duration(at) * time.Second
		d.tell(ruleset.Outcome{Rules: rule[part], Result: ruleset.Ended, Last: &ruleset.Counts{Packets: packets}})
		list := d.take()
		if back = len(list) == 1 && !list[0].Remove; back {
			rule[part] = list[0].Rules
			d.tell(ruleset.Outcome{Rules: rule[part], Result: ruleset.Installed})
		}
		return back
	}
	for i, x := range []struct {
		at, part int
		packets  uint64
	}{{10, 0, 0}, {20, 0, 0}, {23, 1, 8}, {32, 0, 1}, {40, 1, 1}} { // part 0 at 22, part 1 at 13 and 30 at the latest
		if !ends(x.at, x.part, x.packets) {
			t.Fatalf("end %d: the part is not put back", i)
		}
	}
	d.told("[]")
	if ends(42, 0, 0) {
		t.Error("nothing met part 0 from 22 to 42, and part 1 from 30 to 40: the part is put back")
	}
	d.told("[]")
	d.removed(rule[1], 2)
	d.told("[idle_timeout 12]")
	if list := d.take(); len(list) > 1 {
		t.Errorf("%v is ordered", list)
	}
}

// removed tells what the entry of a rule has counted that the physical switch has removed.
func (d *desk) removed(set *ruleset.Set, packets uint64) {
	place := set.Place(0)
	Tally{d.sw}.Removed(&ruleset.Counted{Number: set.Number, Version: set.Version,
		Place: ruleset.HashPlace(place.In, place.Priority, place.Match), Counts: ruleset.Counts{Packets: packets}}, d.now, d)
	d.check()
}

// TestLastCounters: the flow-removed of an entry has what all its parts have counted when they went, whatever was read before;
// if one does not say so in time, what is known; and what comes of an entry before, or comes twice, is not the entry's.
func TestLastCounters(t *testing.T) {
	d := newDesk(t, Config{Tables: 1})
	add := func() (rules []*ruleset.Set) {
		d.do(openflow.V10, strip(func(m *openflow.FlowMod) { m.Flags = openflow.FlagSendFlowRemoved }))
		for _, o := range d.take() {
			rules = append(rules, o.Rules)
			d.tell(ruleset.Outcome{Rules: o.Rules, Result: ruleset.Installed})
		}
		return rules
	}
	away := func() {
		d.do(openflow.V10, strip(func(m *openflow.FlowMod) { m.Command, m.OutPort = openflow.FlowDelete, openflow.PortAny }))
		for _, o := range d.take() {
			d.tell(ruleset.Outcome{Rules: o.Rules, Result: ruleset.Removed})
		}
	}
	first := add()
	d.now = time.Second
	var list []ruleset.Counted
	for _, set := range first {
		place := set.Place(0)
		list = append(list, ruleset.Counted{Number: set.Number, Version: set.Version,
			Place: ruleset.HashPlace(place.In, place.Priority, place.Match), Counts: ruleset.Counts{Packets: 5}})
	}
	Tally{d.sw}.Count(&Counters{Asked: d.now, List: list}, d.now, d)
	away()
	second := add()
	d.told("[]")
	d.removed(first[0], 7)
	d.removed(first[0], 7)
	d.told("[]")
	d.removed(first[1], 8)
	d.told("[delete 15]")

	Tally{d.sw}.Count(&Counters{Asked: d.now + 1, List: nil}, d.now+1, d)
	d.removed(second[0], 3) // somebody has deleted it, and it is put back
	away()
	if at, waits := (Tally{d.sw}).Due(); !waits || at != d.now+removalWait {
		t.Fatalf("it waits until %s (%t)", at, waits)
	}
	Tally{d.sw}.Late(d.now+removalWait-1, d)
	d.told("[]")
	Tally{d.sw}.Late(d.now+removalWait, d)
	if _, list := d.sink.take(); len(list) != 1 {
		t.Errorf("told %v", list)
	}
}

// TestCountersOfRulesInAHurry: of an entry whose rule is ordered anew before it is known that the switch has the one before, what
// both have counted is counted, also if the later one has counted more by then.
func TestCountersOfRulesInAHurry(t *testing.T) {
	d := newDesk(t, Config{Tables: 1})
	d.do(openflow.V13, flowMod(0, openflow.Match{}, openflow.Apply(openflow.Output(openflow.PortFlood))))
	count := func(set *ruleset.Set, packets uint64) {
		d.now += time.Second
		place := set.Place(0)
		Tally{d.sw}.Count(&Counters{Asked: d.now, List: []ruleset.Counted{{Number: set.Number, Version: set.Version,
			Place:  ruleset.HashPlace(place.In, place.Priority, place.Match),
			Counts: ruleset.Counts{Packets: packets, Bytes: packets}}}}, d.now, d)
	}
	want := func(packets uint64) {
		t.Helper()
		list, err := d.sw.Tables().Multipart(openflow.V13, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{
			Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}, d.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := list.(*openflow.FlowStatsList).Flows[0].Packets; got != packets {
			t.Errorf("%d packets are shown, want %d", got, packets)
		}
	}
	first := d.take()[0].Rules
	count(first, 5)
	d.sw.SetPort(openflow.Port{Number: 3}, d.now, d)
	second := d.take()[0].Rules
	if !first.Anew || !second.Anew {
		t.Fatalf("anew: %t, %t", first.Anew, second.Anew)
	}
	count(second, 9)
	want(14)
	d.tell(ruleset.Outcome{Rules: second, Result: ruleset.Installed})
	d.sw.SetPort(openflow.Port{Number: 4}, d.now, d)
	third := d.take()[0].Rules
	count(third, 11) // the same counter
	want(16)
	count(third, 2) // the switch has lost the rule, and has it again
	want(18)
}
