package flowtable_test

import (
	"slices"

	"github.com/weirnet/weir/openflow"
)

// twinPacket is a packet in flight.
type twinPacket struct {
	w        *twin
	frame    []byte
	in       uint32
	size     int // as it came
	metadata uint64
	set      []openflow.Action
	table    uint8
	entry    *twinEntry
	inSet    bool
	stopped  bool // its time to live is over
}

// tables sends the packet through the tables.
func (p *twinPacket) tables() {
	p.table, p.entry = 0, nil
	for {
		stats := p.w.lookups[p.table]
		stats.Lookups++
		best := p.best()
		if best == nil {
			if p.w.v == openflow.V10 {
				p.entry = nil
				p.packetIn(openflow.ReasonNoMatch)
			}
			return
		}
		stats.Matched++
		best.packets++
		best.bytes += uint64(p.size)
		best.used, p.entry = p.w.now, best
		next, goes := uint8(0), false
		for _, kind := range []openflow.InstructionType{
			openflow.InstructionApplyActions, openflow.InstructionClearActions, openflow.InstructionWriteActions,
			openflow.InstructionWriteMetadata, openflow.InstructionGotoTable,
		} {
			for _, i := range best.Instructions {
				if i.Type == kind {
					next, goes = p.instruction(i)
				}
				if p.stopped {
					return
				}
			}
		}
		if !goes {
			p.finish()
			return
		}
		p.table = next
	}
}

// best is the entry that counts: that with the highest priority of those that match.
func (p *twinPacket) best() (best *twinEntry) {
	f := fieldsOf(p.frame, p.in, p.metadata)
	for _, e := range p.w.entries {
		if e.Table == p.table && f.match(e.Match) && (best == nil || e.Priority > best.Priority) {
			best = e
		}
	}
	return best
}

func (p *twinPacket) instruction(i openflow.Instruction) (next uint8, goes bool) {
	switch i.Type {
	case openflow.InstructionApplyActions:
		p.list(i.Actions)
	case openflow.InstructionClearActions:
		p.set = nil
	case openflow.InstructionWriteActions:
		for _, a := range i.Actions {
			p.set = slices.DeleteFunc(p.set, func(b openflow.Action) bool { return slot(a) == slot(b) })
			p.set = append(p.set, a)
		}
	case openflow.InstructionWriteMetadata:
		p.metadata = p.metadata&^i.MetadataMask | i.Metadata&i.MetadataMask
	case openflow.InstructionGotoTable:
		return i.Table, true
	}
	return 0, false
}

// slot is the place of an action in an action set.
func slot(a openflow.Action) string {
	if f, _, ok := a.Field(); ok {
		return f.String()
	}
	return a.Type.String()
}

// order is that in which an action set is done, whatever the order of writing.
var order = [][]openflow.ActionType{
	{openflow.ActionPopVLAN}, {openflow.ActionPushVLAN}, {openflow.ActionDecNwTTL},
	{openflow.ActionSetField, openflow.ActionSetNwTTL}, {openflow.ActionSetQueue}, {openflow.ActionGroup},
	{openflow.ActionOutput},
}

// sends reports whether an action is one of those that an action set is done for.
func sends(a openflow.Action) bool {
	return a.Type == openflow.ActionGroup || a.Type == openflow.ActionOutput
}

// inOrder is an action set in the order in which it is done. Beside a group, an output does not
// count.
func inOrder(set []openflow.Action) (list []openflow.Action) {
	if slices.ContainsFunc(set, func(a openflow.Action) bool { return a.Type == openflow.ActionGroup }) {
		set = slices.DeleteFunc(slices.Clone(set), func(a openflow.Action) bool { return a.Type == openflow.ActionOutput })
	}
	for _, kinds := range order {
		for _, a := range set {
			if slices.Contains(kinds, a.Type) {
				list = append(list, a)
			}
		}
	}
	return list
}

// finish does the action set. One that sends nowhere does nothing.
func (p *twinPacket) finish() {
	if slices.ContainsFunc(p.set, sends) {
		p.inSet = true
		p.list(inOrder(p.set))
	}
}

// list does actions in their order.
func (p *twinPacket) list(actions []openflow.Action) {
	for _, a := range actions {
		if p.stopped {
			return
		}
		p.action(a)
	}
}

func (p *twinPacket) action(a openflow.Action) {
	switch a.Type {
	case openflow.ActionOutput, openflow.ActionEnqueue:
		p.output(a)
	case openflow.ActionGroup:
		p.group(a.ID)
	case openflow.ActionDecNwTTL:
		p.decrement()
	default:
		if p.w.v == openflow.V10 {
			p.frame = edit10(p.frame, a)
			break
		}
		p.frame = edit(p.frame, a)
	}
}

func (p *twinPacket) output(a openflow.Action) {
	switch a.Port {
	case openflow.PortInPort:
		p.w.send(p.in, p.frame)
	case openflow.PortAll, openflow.PortFlood:
		for _, n := range p.w.numbers {
			if n != p.in && (a.Port == openflow.PortAll || p.w.port[n].Config&openflow.PortConfigNoFlood == 0) {
				p.w.send(n, p.frame)
			}
		}
	case openflow.PortController:
		reason := openflow.ReasonAction
		if p.w.v == openflow.V13 && p.entry != nil && p.entry.Priority == 0 && len(p.entry.Match.OXM) == 0 && !p.inSet {
			reason = openflow.ReasonNoMatch
		}
		p.packetIn(reason)
	case openflow.PortNormal:
		p.normal()
	case openflow.PortTable:
		(&twinPacket{w: p.w, frame: slices.Clone(p.frame), in: p.in, size: p.size}).tables()
	case p.in:
	default:
		p.w.send(a.Port, p.frame)
	}
}

func (p *twinPacket) packetIn(reason openflow.PacketInReason) {
	m := &openflow.PacketIn{
		Buffer: openflow.NoBuffer, TotalLen: uint16(len(p.frame)), Reason: reason, InPort: p.in, Cookie: ^uint64(0),
		Data: slices.Clone(p.frame),
	}
	if p.w.v == openflow.V13 {
		m.Table = p.table
		if p.entry != nil {
			m.Cookie = p.entry.Cookie
		}
		m.Match.SetUint(openflow.FieldInPort, uint64(p.in))
		if p.metadata != 0 {
			m.Match.SetUint(openflow.FieldMetadata, p.metadata)
		}
	}
	p.w.say(m)
}
