package vswitch

import (
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
)

// Reactive is a Switch, of Config.Reactive, as who brings it frames sees it. While it is reactive, the physical switch has no
// rules of its entries: it shows what no micro-flow takes, the tables handle that, and a micro-flow takes what is like it
// from then on.
type Reactive struct{ *Switch }

// Bounds of micro-flows.
const (
	MicroFlowsMax = 1 << 14         // of a virtual switch; its limit of entries is another
	microIdle     = 10              // seconds without a packet, after which one goes
	microRest     = time.Second     // after the physical switch has refused one
	reactiveTick  = time.Second     // between looks at entries' time-outs
	lateCounts    = 2 * time.Second // how long the last counters of one that was removed are awaited
)

// Is reports whether the switch is reactive now.
func (s Reactive) Is() bool { return s.micro.reactive }

// MicroFlows is how many there are.
func (s Reactive) MicroFlows() int { return len(s.micro.flows) }

// Handled is how many frames the tables have handled, instead of the physical switch.
func (s Reactive) Handled() uint64 { return s.micro.handled }

// Limit bounds the micro-flows from now on. Those that there are stay.
func (s Reactive) Limit(most int) { s.micro.most = min(most, MicroFlowsMax) }

// Takes reports whether a packet-in of a row's rules is of a frame for Receive.
func (s Reactive) Takes(number uint32) bool {
	r := s.rows[number]
	return s.micro.reactive && r != nil && r.miss
}

// Receive has the tables handle a frame that no micro-flow has taken, and has a micro-flow take those that are like it.
func (s Reactive) Receive(port uint32, frame []byte, now time.Duration, out Output) {
	s.begin(Origin{}, now, out)
	d := &s.micro.decision
	d.Receive(s.tables, port, frame, now, (*changes)(s.Switch))
	s.micro.handled++
	if _, own := s.ports[port]; own && d.Why == "" {
		microFlows{&s.physical}.add(port, d)
	}
}

// turnReactive has packets be handled by the tables. They are shown before the rules go that took them.
func (s microFlows) turnReactive() {
	if s.micro.reactive {
		return
	}
	s.micro.reactive, s.micro.tick = true, s.now+reactiveTick
	s.unsaved.headChanged()
	s.showMisses()
	s.endLeftover()
	for _, r := range rowsWhere(s.byHandle, anyRow) {
		flowtable.Touch(s.tables, r.handle, s.now)
		s.unsaved.changed(r)
		s.leaveAll(r)
	}
	s.single.labels.of = nil
}

// turnBack has packets be handled by the physical switch again, when the tables are empty.
func (s microFlows) turnBack() {
	if !s.micro.reactive || s.tables.Entries() > 0 {
		return
	}
	s.micro.reactive = false
	s.unsaved.headChanged()
	s.removeAll()
	if r := s.byPlace[missPlace(0)]; r != nil && !s.misses.shown {
		r.miss = false
		s.leaveAll(r)
	}
}

// pipelines reports whether a flow-mod wants more than one table.
func pipelines(m *openflow.FlowMod) bool {
	if _, _, has := metadataOf(&m.Match); has || m.Table > 0 {
		return true
	}
	return slices.ContainsFunc(m.Instructions, func(in openflow.Instruction) bool {
		return in.Type == openflow.InstructionGotoTable || in.Type == openflow.InstructionWriteMetadata
	})
}

// expire ends entries of a reactive switch whose time is over. Those that a micro-flow is of are used, as it is there.
func (s Reactive) expire() {
	if !s.micro.reactive || s.now < s.micro.tick {
		return
	}
	s.micro.tick = s.now + reactiveTick
	for r := range s.micro.flows {
		idle := time.Duration(r.told.idle) * time.Second
		for _, e := range r.flow.entries {
			flowtable.Touch(s.tables, e.handle, s.now-idle+reactiveTick)
		}
	}
	s.tables.Expire(s.now, (*changes)(s.Switch))
	microFlows{&s.physical}.turnBack()
}

// in10 returns actions of OpenFlow 1.3 as 1.0 has them, of packets that a match selects; false if it does not.
func in10(m *openflow.Match, list []openflow.Action) ([]openflow.Action, bool) {
	tag := knownOf(m).tag
	own := slices.Clone(list)
	for i := range own {
		switch a := &own[i]; a.Type {
		case openflow.ActionPushVLAN: // to set the VLAN id of a packet without a tag adds one
			if tag != untagged || a.EtherType != 0x8100 {
				return nil, false
			}
			*a, tag = openflow.Action{Type: openflow.ActionSetVLANVID}, tagged
		case openflow.ActionPopVLAN:
			tag = tagUnknown
		}
	}
	return own, true
}

// sayable10 reports whether OpenFlow 1.0 can say a rule, as a flow-mod of the lowest priority there is.
func sayable10(x *rule) bool {
	m := openflow.FlowMod{Match: openflow.Match{OXM: slices.Clone(x.match)}, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Instructions: x.do.Instructions()}
	m.Match.SetUint(openflow.FieldInPort, uint64(x.in))
	wire, err := openflow.Append(nil, openflow.V10, 0, &m)
	if err != nil {
		return false
	}
	_, read, err := openflow.Parse(wire)
	if err != nil {
		return false
	}
	again, is := read.(*openflow.FlowMod)
	return is && !again.Match.Exact10() // which would have the highest priority
}
