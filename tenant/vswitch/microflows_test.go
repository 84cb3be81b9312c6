package vswitch

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// newReactive returns a virtual switch over one of a version whose first entry goes to a second table; the other is there, if
// it has instructions. What that has ordered has been done.
func newReactive(t *testing.T, v openflow.Version, first, second *openflow.FlowMod) *desk {
	d := newDesk(t, Config{Single: true, Reactive: true, Tables: 3, Version: v})
	first.Instructions = append(first.Instructions, openflow.GotoTable(1))
	first.Flags |= openflow.FlagSendFlowRemoved
	second.Table = 1
	d.do(openflow.V13, first)
	d.do(openflow.V13, second)
	d.obey()
	if !(Reactive{d.sw}).Is() {
		t.Fatal("a switch with two tables is not reactive")
	}
	return d
}

// obey has what was ordered be done, and returns how many rules are there then that were not.
func (d *desk) obey() (installed []*ruleset.Set) {
	for len(d.ordered) > 0 {
		for _, o := range d.take() {
			if o.Remove {
				d.tell(ruleset.Outcome{Rules: o.Rules, Result: ruleset.Removed})
			} else {
				installed = append(installed, o.Rules)
				d.tell(ruleset.Outcome{Rules: o.Rules, Result: ruleset.Installed})
			}
		}
	}
	return installed
}

// receive has a frame of a source be handled by the tables, and returns the micro-flows that are there then, and were not.
func (d *desk) receive(source byte) []*ruleset.Set {
	d.t.Helper()
	k := packet.Key{EthDst: packet.MAC{5: 1}, EthSrc: packet.MAC{5: source}, EtherType: packet.TypeIPv4, TTL: 9,
		IPSrc: packet.AddrFrom4([4]byte{10, 0, 0, source}), IPDst: packet.AddrFrom4([4]byte{10, 0, 0, 1}), SrcPort: 1, DstPort: 2}
	Reactive{d.sw}.Receive(1, packet.AppendUDP(nil, &k, nil), d.now, d)
	d.check()
	return d.obey()
}

func bySource() *openflow.FlowMod {
	var m openflow.Match
	m.SetUintMasked(openflow.FieldEthSrc, 0, 0x80)
	return flowMod(0, m)
}

// entries is how many entries there are, and what the one of table 0 has counted.
func (d *desk) entries() string {
	Tally{d.sw}.Look(d.now)
	list := flowsOf(&world{t: d.t, now: d.now}, d.sw.tables)
	for _, e := range list {
		if e.Table == 0 {
			return fmt.Sprint(len(list), " ", int64(e.Packets))
		}
	}
	return fmt.Sprint(len(list))
}

// TestTurningReactive: what no rule takes is shown before the rules go, and is not when the tables are empty again.
func TestTurningReactive(t *testing.T) {
	d := newDesk(t, Config{Single: true, Reactive: true, Tables: 3})
	d.do(openflow.V13, flowMod5(5))
	d.obey()
	d.do(openflow.V13, flowMod(0, openflow.Match{}, openflow.GotoTable(1)))
	list := d.take()
	if n := len(list); n < 2 || list[0].Remove || !list[n-1].Remove || !(Reactive{d.sw}).Takes(rowOf(list[0].Rules)) {
		t.Fatalf("ordered is %+v, want what shows first, and then the removal", list)
	}
	d.ordered = list
	d.obey()
	shows := list[0].Rules
	d.do(openflow.V13, &openflow.FlowMod{Command: openflow.FlowDelete, Table: openflow.TableAll, Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny})
	if list := d.take(); len(list) != 2 || !list[0].Remove || !list[1].Remove || (Reactive{d.sw}).Is() {
		t.Fatalf("ordered is %+v, want the removal of %v", list, shows)
	}
}

func rowOf(set *ruleset.Set) uint32 {
	_, row := plan.TenantRow(set.Number)
	return row
}

// TestMicroFlowsAndTimeOuts: a micro-flow ends by the shortest idle time-out of its entries; one of these has been used when
// it was, and ends by its hard time-out at any rate.
func TestMicroFlowsAndTimeOuts(t *testing.T) {
	first := bySource()
	first.IdleTimeout = 4
	d := newReactive(t, openflow.V13, first, flowMod(1, openflow.Match{}, openflow.Apply(openflow.Output(2))))
	flows := d.receive(2)
	if len(flows) != 1 || flows[0].Idle != 4 || !flows[0].Mortal() {
		t.Fatalf("the micro-flow is %+v", flows)
	}
	for d.now = 0; d.now < 9*time.Second; d.now += time.Second {
		Tally{d.sw}.Late(d.now, d)
	}
	d.obey()
	if got := d.entries(); got[0] != '2' {
		t.Fatalf("while the micro-flow is there, entries have ended: %s", got)
	}
	d.tell(ruleset.Outcome{Rules: flows[0], Result: ruleset.Ended, Last: &ruleset.Counts{Packets: 7, Bytes: 700}})
	Tally{d.sw}.Late(d.now, d)
	d.told(fmt.Sprintf("[%s 8]", openflow.RemovedIdle))

	last := bySource()
	last.HardTimeout = 3
	d = newReactive(t, openflow.V13, last, flowMod(1, openflow.Match{}, openflow.Apply(openflow.Output(2))))
	if flows := d.receive(2); len(flows) != 1 || flows[0].Idle != microIdle {
		t.Fatalf("the micro-flow is %+v", flows)
	}
	for d.now = 0; d.now <= 3*time.Second; d.now += time.Second {
		Tally{d.sw}.Late(d.now, d)
	}
	if Reactive.MicroFlows(Reactive{d.sw}) != 0 || d.sw.tables.Entries() != 1 {
		t.Errorf("after its hard time-out an entry is there, or its micro-flow")
	}
}

// TestMicroFlowsAreBounded: where there is no room, the tables handle packets all the same; where the physical switch takes none,
// none is ordered for a second.
func TestMicroFlowsAreBounded(t *testing.T) {
	byDestination := openflow.Match{}
	byDestination.SetUint(openflow.FieldEthSrc, 9)
	d := newReactive(t, openflow.V13, flowMod(0, byDestination), flowMod(1, openflow.Match{}, openflow.Apply(openflow.Output(2))))
	Reactive{d.sw}.Limit(1)
	a, b := d.receive(9), d.receive(8)
	if frames, _ := d.sink.take(); len(a) != 1 || len(b) != 0 || (Reactive{d.sw}).Handled() != 2 || len(frames) != 1 {
		t.Fatalf("with a limit of 1, two packets are %v and %v, %v is sent", a, b, frames)
	}
	Reactive{d.sw}.Limit(10)
	for n, refuse := range []bool{true, true, false} {
		d.now += time.Duration(n) * microRest / 2
		k := packet.Key{EthDst: packet.MAC{5: 1}, EthSrc: packet.MAC{5: 8}, EtherType: packet.TypeIPv4, TTL: 9}
		Reactive{d.sw}.Receive(1, packet.AppendUDP(nil, &k, nil), d.now, d)
		list := d.take()
		if want := []int{1, 0, 1}[n]; len(list) != want {
			t.Fatalf("%s after a refusal, %d micro-flows are ordered", d.now, len(list))
		}
		if refuse && len(list) > 0 {
			d.tell(ruleset.Outcome{Rules: list[0].Rules, Result: ruleset.Refused, Code: openflow.FlowModFailedTableFull})
		}
	}
	if (Reactive{d.sw}).MicroFlows() != 2 {
		t.Errorf("there are %d micro-flows", (Reactive{d.sw}).MicroFlows())
	}
}

// TestMicroFlowsAndQueues: the packets of a micro-flow leave by the queue that their entry has set; where the physical switch
// has no such action, there is none.
func TestMicroFlowsAndQueues(t *testing.T) {
	for v, want := range map[openflow.Version]string{openflow.V13: "[[apply:[set_queue:3,output:2]]]", openflow.V10: "[]"} {
		d := newReactive(t, v, bySource(), flowMod(1, openflow.Match{},
			openflow.Apply(openflow.Action{Type: openflow.ActionSetQueue, ID: 3}, openflow.Output(2))))
		var done []string
		for _, set := range d.receive(2) {
			_, hop := set.At(0)
			done = append(done, fmt.Sprint(hop.Do.Instructions()))
		}
		if got := fmt.Sprint(done); got != want {
			t.Errorf("over %s, micro-flows do %s, want %s", v, got, want)
		}
	}
}

// TestMicroFlowsOf10: OpenFlow 1.0 adds a tag by setting it; what it cannot say, nobody orders.
func TestMicroFlowsOf10(t *testing.T) {
	var untagged openflow.Match
	untagged.SetUint(openflow.FieldVLANVID, 0)
	d := newReactive(t, openflow.V10, flowMod(0, openflow.Match{}), flowMod(1, untagged, openflow.Apply(
		openflow.Action{Type: openflow.ActionPushVLAN, EtherType: 0x8100}, openflow.SetField(openflow.FieldVLANVID, 0x1005),
		openflow.Output(2))))
	flows := d.receive(2)
	if len(flows) != 1 {
		t.Fatalf("the micro-flows are %v", flows)
	}
	_, hop := flows[0].At(0)
	if got := fmt.Sprint(hop.Do.Instructions()); got != "[apply:[set_vlan_vid:0,set_field:5->vlan_vid,output:2]]" {
		t.Errorf("the micro-flow does %s", got)
	}
	class := flowMod(0, openflow.Match{})
	class.Match.SetUint(openflow.FieldEthType, uint64(packet.TypeIPv4))
	class.Match.SetUint(openflow.FieldIPECN, 0)
	d = newReactive(t, openflow.V10, class, flowMod(1, openflow.Match{}, openflow.Apply(openflow.Output(2))))
	flows = d.receive(2)
	if frames, _ := d.sink.take(); len(flows) != 0 || len(frames) != 1 {
		t.Errorf("by its ECN, a packet is sent by the micro-flows %v; the tables send %v", flows, frames)
	}
}

// TestMicroFlowsCounters: what entries have counted is not known while it is not of a micro-flow, and when it is not listed.
func TestMicroFlowsCounters(t *testing.T) {
	d := newReactive(t, openflow.V13, bySource(), flowMod(1, openflow.Match{}, openflow.Apply(openflow.Output(2))))
	count := func(list ...ruleset.Counted) {
		d.now += time.Second
		Tally{d.sw}.Count(&Counters{Asked: d.now, List: list}, d.now, d)
		d.now += time.Second
	}
	count()
	if got := d.entries(); got != "2 0" {
		t.Fatalf("entries and packets: %s", got)
	}
	set := d.receive(2)[0]
	leg, hop := set.At(0)
	if d.now += 3 * time.Second; d.entries() != "2 -1" {
		t.Fatalf("a micro-flow has not been counted, entries and packets: %s", d.entries())
	}
	counted := ruleset.Counted{Number: set.Number, Version: set.Version,
		Place:  ruleset.HashPlace(hop.In, set.Priority, leg.Match),
		Counts: ruleset.Counts{Packets: 5, Bytes: 500}}
	if count(counted); d.entries() != "2 6" {
		t.Fatalf("entries and packets: %s", d.entries())
	}
	if count(); d.entries() != "2 -1" {
		t.Fatalf("a micro-flow is not listed, entries and packets: %s", d.entries())
	}
	d.do(openflow.V13, flowMod(1, openflow.Match{}, openflow.Apply(openflow.Output(1)))) // its removal
	d.obey()
	counted.Counts = ruleset.Counts{Packets: 9, Bytes: 900}
	Tally{d.sw}.Removed(&counted, d.now, d) // after its outcome
	if count(); d.entries() != "2 10" {
		t.Fatalf("what a micro-flow had counted when it was removed is missing, entries and packets: %s", d.entries())
	}
}

// TestMicroFlowsAndTTL: a packet whose time to live is over in the physical switch is shown as the entry's that took it away.
func TestMicroFlowsAndTTL(t *testing.T) {
	first := bySource()
	first.Cookie = 0x77
	ipv4 := openflow.Match{}
	ipv4.SetUint(openflow.FieldEthType, uint64(packet.TypeIPv4))
	second := flowMod(1, ipv4, openflow.Apply(openflow.Action{Type: openflow.ActionDecNwTTL}, openflow.Output(2)))
	second.Cookie = 0x78
	d := newReactive(t, openflow.V13, first, second)
	set := d.receive(2)[0]
	p, ok := d.sw.PacketIn(rowOf(set), &openflow.PacketIn{Reason: openflow.ReasonBadTTL, InPort: 1, Data: make([]byte, 60)})
	if !ok || p.Cookie != 0x78 || p.Table != 1 || p.Reason != openflow.ReasonBadTTL {
		t.Errorf("shown is %+v, %t", p, ok)
	}
}
