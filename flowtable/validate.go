package flowtable

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// checker follows what is known of a packet through actions, to refuse those that cannot be done to
// it.
type checker struct {
	s      *Switch
	table  uint8
	strict bool // prerequisites must be known: not in buckets, and not in OpenFlow 1.0
	// packetOut allows what only a packet-out may do.
	packetOut bool

	tagged bool
	traits
}

// know takes over the fields of the packet that a match fixes.
func (c *checker) know(f *filter) {
	if f.mask.get(openflow.FieldVLANVID)&uint64(openflow.VLANPresent) != 0 {
		c.tagged = f.value.get(openflow.FieldVLANVID)&uint64(openflow.VLANPresent) != 0
	}
	c.traits = traitsOf(&f.value)
}

// instructions checks those of a flow-mod.
func (c *checker) instructions(list []openflow.Instruction) error {
	var seen uint32
	for i := range list {
		in := &list[i]
		if in.Type == openflow.InstructionExperimenter {
			return refuse(openflow.BadInstructionBadExperimenter, "instruction of experimenter 0x%08x", in.Experimenter)
		}
		if in.Type > openflow.InstructionMeter {
			return refuse(openflow.BadInstructionUnknownInst, "instruction of type %d", in.Type)
		}
		if seen>>in.Type&1 != 0 {
			return refuse(openflow.BadInstructionUnsupInst, "instruction %s twice", in.Type)
		}
		seen |= 1 << in.Type
	}
	// Checked in the order in which they are done: applied actions change the packet that written
	// ones meet.
	for _, t := range [...]openflow.InstructionType{
		openflow.InstructionMeter, openflow.InstructionApplyActions, openflow.InstructionWriteActions,
		openflow.InstructionGotoTable,
	} {
		for i := range list {
			if list[i].Type == t {
				if err := c.instruction(&list[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c *checker) instruction(in *openflow.Instruction) error {
	switch in.Type {
	case openflow.InstructionMeter:
		if c.s.meters[in.Meter] == nil || in.Meter > meterMax {
			return refuse(openflow.MeterModFailedInvalidMeter, "instruction meter:%d, which there is not", in.Meter)
		}
	case openflow.InstructionApplyActions:
		return c.actions(in.Actions)
	case openflow.InstructionWriteActions:
		return c.written(in.Actions)
	case openflow.InstructionGotoTable:
		if in.Table <= c.table || int(in.Table) >= c.s.cfg.Tables {
			return refuse(openflow.BadInstructionBadTableID, "goto_table:%d from table %d of %d", in.Table, c.table,
				c.s.cfg.Tables)
		}
	}
	return nil
}

// written checks actions for the action set: each for itself, and those that remain in the order in
// which they will be done, as if no other table wrote any.
func (c *checker) written(list []openflow.Action) error {
	each := *c
	each.strict = false
	if err := each.actions(list); err != nil || !c.strict {
		return err
	}
	var set actionSet
	set.write(list)
	for _, a := range set.appendOrdered(nil) {
		if err := c.action(a); err != nil {
			return err
		}
	}
	return nil
}

// actions checks a list of actions.
func (c *checker) actions(list []openflow.Action) error {
	for i := range list {
		if err := c.action(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) action(a *openflow.Action) error {
	switch a.Type {
	case openflow.ActionOutput:
		return c.output(a.Port)
	case openflow.ActionEnqueue:
		return c.enqueue(a)
	case openflow.ActionGroup:
		if c.s.groups[a.ID] == nil {
			return refuse(openflow.BadActionBadOutGroup, "group:%d, which there is not", a.ID)
		}
	case openflow.ActionSetField:
		return c.setField(a)
	case openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP:
		return c.setVLAN(a)
	case openflow.ActionSetQueue:
	case openflow.ActionPushVLAN, openflow.ActionPopVLAN, openflow.ActionPushMPLS, openflow.ActionPopMPLS:
		return c.tags(a)
	case openflow.ActionSetMPLSTTL, openflow.ActionDecMPLSTTL, openflow.ActionSetNwTTL, openflow.ActionDecNwTTL,
		openflow.ActionCopyTTLIn, openflow.ActionCopyTTLOut:
		return c.ttl(a)
	case openflow.ActionExperimenter:
		return refuse(openflow.BadActionBadExperimenter, "action of experimenter 0x%08x", a.ID)
	default: // push_pbb and pop_pbb too
		return refuse(openflow.BadActionBadType, "action %s, which this switch does not do", a.Type)
	}
	return nil
}

// output checks the port of an output. A port that there is not may come.
func (c *checker) output(port uint32) error {
	ok := port != 0 && port <= openflow.PortMax
	switch port {
	case openflow.PortInPort, openflow.PortFlood, openflow.PortAll, openflow.PortController, openflow.PortLocal,
		openflow.PortNormal:
		ok = true
	case openflow.PortTable:
		ok = c.packetOut
	}
	if !ok {
		return refuse(openflow.BadActionBadOutPort, "output:%s", openflow.PortText(port))
	}
	return nil
}

// enqueue checks an output of OpenFlow 1.0 to a queue, which must be one of the port's.
func (c *checker) enqueue(a *openflow.Action) error {
	if a.Port == openflow.PortInPort {
		return nil
	}
	if a.Port == 0 || a.Port > openflow.PortMax && a.Port != openflow.PortLocal {
		return refuse(openflow.BadActionBadOutPort, "enqueue to port %s", openflow.PortText(a.Port))
	}
	if p := c.s.ports.find(a.Port); p != nil && p.queue(a.ID) == nil {
		return refuse(openflow.BadActionBadQueue, "enqueue to queue %d, which port %d has not", a.ID, a.Port)
	}
	return nil
}

// setVLAN checks the two actions of OpenFlow 1.0 that add a tag where there is none.
func (c *checker) setVLAN(a *openflow.Action) error {
	most := uint32(packet.VLANMask)
	if a.Type == openflow.ActionSetVLANPCP {
		most = 7
	}
	if a.ID > most {
		return refuse(openflow.BadActionBadArgument, "%s to %d, more than %d", a.Type, a.ID, most)
	}
	c.tagged = true
	return nil
}

// tags checks pushes and pops, and follows what they do.
func (c *checker) tags(a *openflow.Action) error {
	switch a.Type {
	case openflow.ActionPushVLAN:
		if a.EtherType != packet.TypeVLAN && a.EtherType != packet.TypeQinQ {
			return refuse(openflow.BadActionBadArgument, "push_vlan:0x%04x, neither 0x8100 nor 0x88a8", a.EtherType)
		}
		c.tagged = true
	case openflow.ActionPopVLAN:
		if c.strict && !c.tagged {
			return refuse(openflow.BadActionMatchInconsistent, "pop_vlan of packets that the match does not say to have a tag")
		}
		c.tagged = false
	case openflow.ActionPushMPLS:
		if !isMPLS(a.EtherType) {
			return refuse(openflow.BadActionBadArgument, "push_mpls:0x%04x, neither 0x8847 nor 0x8848", a.EtherType)
		}
		c.traits = traits{etherType: uint64(a.EtherType)}
	case openflow.ActionPopMPLS:
		if c.strict && !isMPLS(uint16(c.etherType)) {
			return refuse(openflow.BadActionMatchInconsistent, "pop_mpls of packets that the match does not say to have a label")
		}
		c.traits = traits{etherType: uint64(a.EtherType)}
	}
	return nil
}

// ttl checks actions on the time to live.
func (c *checker) ttl(a *openflow.Action) error {
	if !c.strict {
		return nil
	}
	ok := isMPLS(uint16(c.etherType))
	if a.Type == openflow.ActionSetNwTTL || a.Type == openflow.ActionDecNwTTL {
		ok = c.ip()
	}
	if !ok {
		return refuse(openflow.BadActionMatchInconsistent, "%s of packets that the match does not say to have one", a.Type)
	}
	return nil
}

// setField checks a set-field: that this switch sets the field, the value, and that the packet has
// the field.
func (c *checker) setField(a *openflow.Action) error {
	f, value, ok := a.Field()
	if !ok || !settable(f) {
		return refuse(openflow.BadActionBadSetType, "%s, a field that this switch does not set", a)
	}
	if f == openflow.FieldVLANVID && value[0]&uint8(openflow.VLANPresent>>8) == 0 {
		return refuse(openflow.BadActionBadSetArgument, "%s, without OFPVID_PRESENT", a)
	}
	if len(value) <= 8 && number(value) > lowBits(places[f].bits) {
		return refuse(openflow.BadActionBadSetArgument, "%s, out of range", a)
	}
	if c.strict && !c.knows(f) {
		return refuse(openflow.BadActionMatchInconsistent, "%s of packets that the match does not say to have it", a)
	}
	return nil
}

// settable reports whether set-field may name a field: all that a frame holds but the two that say
// what it is, and the bottom of stack.
func settable(f openflow.Field) bool {
	switch f {
	case openflow.FieldInPort, openflow.FieldInPhyPort, openflow.FieldMetadata, openflow.FieldEthType, openflow.FieldIPProto,
		openflow.FieldMPLSBOS, openflow.FieldIPv6ExtHdr:
		return false
	}
	return int(f) < len(places) && places[f].bits != 0
}

// knows reports whether the packet is known to have a field.
func (c *checker) knows(f openflow.Field) bool {
	if f == openflow.FieldVLANVID || f == openflow.FieldVLANPCP {
		return c.tagged
	}
	return c.have(f)
}
