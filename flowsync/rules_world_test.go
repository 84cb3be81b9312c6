package flowsync

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
)

// parseOrder reads an order for a rule of a rule set of one rule: install or remove, then words
// like intent=7 version=1 priority=20000 in=1 out=2,3; kind=5 table=3 are of other owners, in=0 is any port, push=7
// pushes that VLAN before the outputs, metadata=7 goto=4 come after, and meter=7 is a meter of so many packets a
// second, backup=2,3 a group that outputs to the first of these ports that is up, copies=2,3 one that sends to a group for
// each of them, idle=5 hard=60 are time-outs; words that are none of these are fields of the match.
func parseOrder(t tester, dpid netview.DPID, line string) ruleset.Order {
	t.Helper()
	p := &ruleset.Set{Kind: plan.KindIntent, Number: 1, Table: plan.TableForwarding, Priority: 20000}
	in := uint32(1)
	var out []uint32
	var before []openflow.Action
	var after []openflow.Instruction
	var objects []object.Object
	var match openflow.Match
	words := strings.Fields(line)
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		number := func() uint64 {
			n, err := strconv.ParseUint(value, 10, 32)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			return n
		}
		switch key {
		case "intent":
			p.Number = uint32(number())
		case "version":
			p.Version = uint16(number())
		case "priority":
			p.Priority = uint16(number())
		case "kind":
			p.Kind = plan.Kind(number())
		case "table":
			p.Table = uint8(number())
		case "idle", "hard":
			p.Policy = ruleset.Mortal
			if key == "idle" {
				p.Idle = uint16(number())
			} else {
				p.Hard = uint16(number())
			}
		case "push":
			before = append(before, openflow.Action{Type: openflow.ActionPushVLAN, EtherType: 0x8100},
				openflow.SetField(openflow.FieldVLANVID, 0x1000|number()))
		case "metadata":
			after = append(after, openflow.Instruction{Type: openflow.InstructionWriteMetadata, Metadata: number(),
				MetadataMask: 1<<64 - 1})
		case "goto":
			after = append(after, openflow.GotoTable(uint8(number())))
		case "meter":
			band := openflow.Band{Type: openflow.BandDrop, Rate: uint32(number())}
			m, err := object.NewMeter(object.PacketsPerSecond, band)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			after = append(after, openflow.UseMeter(uint32(len(objects))))
			objects = append(objects, m)
		case "backup":
			before = append(before, openflow.Group(uint32(len(objects))))
			objects = append(objects, backupGroup(t, parseOutputs(t, value)))
		case "copies":
			before = append(before, openflow.Group(uint32(len(objects))))
			objects = append(objects, copiesGroup(t, parseOutputs(t, value)))
		case "in":
			in = uint32(number())
		case "out":
			for _, a := range parseOutputs(t, value) {
				out = append(out, a.Port)
			}
		default:
			if err := match.SetText(key, value); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
	}
	hop := ruleset.HopTo(dpid, in, out...)
	if len(before)+len(after) > 0 {
		for _, port := range out {
			before = append(before, openflow.Output(port))
		}
		do, err := ruleset.Use(in, append([]openflow.Instruction{openflow.Apply(before...)}, after...), objects...)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		hop.Do = do
	}
	route := &ruleset.Route{Hops: []*ruleset.Hop{hop}}
	p.Legs = []ruleset.Leg{{Match: match.Canonical().OXM, Route: route}}
	return ruleset.Order{Rules: p, Remove: words[0] == "remove"}
}

// backupGroup outputs to the first of some ports that is up.
func backupGroup(t tester, outputs []openflow.Action) *object.Group {
	var buckets []object.Bucket
	for _, a := range outputs {
		buckets = append(buckets, object.Bucket{WatchPort: a.Port, Actions: []openflow.Action{a}})
	}
	return groupOf(t, openflow.GroupTypeFastFailover, buckets...)
}

// copiesGroup sends a copy to a group of each port.
func copiesGroup(t tester, outputs []openflow.Action) *object.Group {
	var buckets []object.Bucket
	for _, a := range outputs {
		one := groupOf(t, openflow.GroupTypeIndirect, object.Bucket{Actions: []openflow.Action{a}})
		buckets = append(buckets, object.Bucket{Group: one})
	}
	return groupOf(t, openflow.GroupTypeAll, buckets...)
}

func groupOf(t tester, kind openflow.GroupType, buckets ...object.Bucket) *object.Group {
	t.Helper()
	g, err := object.NewGroup(kind, buckets...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// orderWithObjects is for a rule of an intent that sends packets to all groups in a list, and through all meters.
func orderWithObjects(t tester, number uint32, remove bool, objects []object.Object) ruleset.Order {
	var actions []openflow.Action
	var instructions []openflow.Instruction
	for place, o := range objects {
		if _, is := o.(*object.Meter); is {
			instructions = append(instructions, openflow.UseMeter(uint32(place)))
		} else {
			actions = append(actions, openflow.Group(uint32(place)))
		}
	}
	do, err := ruleset.Use(1, append(instructions, openflow.Apply(actions...)), objects...)
	if err != nil {
		t.Fatal(err)
	}
	var match openflow.Match
	match.SetUint(openflow.FieldEthType, 0x0800)
	match.SetUint(openflow.FieldIPv4Dst, uint64(10<<24+number))
	set := ruleset.New(plan.KindIntent, number, 20100, ruleset.Leg{Match: match.Canonical().OXM,
		Route: &ruleset.Route{Hops: []*ruleset.Hop{{DPID: 1, In: 1, Do: do}}}})
	return ruleset.Order{Rules: set, Remove: remove}
}

func parseOrders(t tester, dpid netview.DPID, text string) (list []ruleset.Order) {
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			list = append(list, parseOrder(t, dpid, line))
		}
	}
	return list
}

// onOutcomes takes outcomes.
func (w *world) onOutcomes(list []ruleset.Outcome) {
	for i := range list {
		o := &list[i]
		_, hop := o.Rules.At(int(o.Rule))
		line := fmt.Sprintf("%s %s %d v%d %s: %s", hop.DPID, o.Rules.Kind, o.Rules.Number, o.Rules.Version,
			placeText(o.Rules, o.Rule), o.Result)
		if o.Result == ruleset.Refused {
			line += fmt.Sprintf(": %s", o.Reason)
		}
		if o.Last != nil {
			line += fmt.Sprintf(": %d packets, %d bytes", o.Last.Packets, o.Last.Bytes)
		}
		w.say(line)
		w.orders.answered(w.t, o, w.now)
	}
}

func placeText(p *ruleset.Set, rule uint16) string {
	r := p.Rule(int(rule), 1, false)
	return fmt.Sprintf("priority=%d %s", p.Priority, r.Match.String())
}

// orderedRules are the rules of rule sets that are desired at a switch.
func (c *Core) orderedRules(dpid netview.DPID) (rules []*netview.Rule) {
	sw := c.switches[dpid]
	if sw == nil {
		return nil
	}
	list := showOrdered(&sw.rules)
	for i := range list {
		rules = append(rules, list[i].render(c.config.Domain, sw.singleTable))
	}
	return rules
}

// orderedText is what is known of the rules of rule sets at a switch.
func (c *Core) orderedText(dpid netview.DPID) string {
	var lines []string
	for _, r := range c.orderedRules(dpid) {
		lines = append(lines, fmt.Sprintf("%s: table=%d priority=%d cookie=0x%016x %s %v %s %s", r.Owner, r.Table,
			r.Priority, r.Cookie, r.Match.String(), r.Instructions, r.State, r.Reason))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
