package ruleset

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// AppendKey appends what Behaviour.Key is of instructions, without allocating for those that rules have: the
// instructions in the order in which a switch executes them (OpenFlow 1.3.5, 5.9), those that do nothing left
// out, each as its type and the fields that count of it. A switch lists them in an order of its own.
func AppendKey(b []byte, instructions []openflow.Instruction) []byte {
	return (*names)(nil).appendKey(b, instructions)
}

// AppendKeyOf appends the key of instructions that a switch lists, whose objects have numbers there: that of a behaviour
// that names the same objects by content. Numbers that are not among them stand for themselves, as in AppendKey. A
// bundle of OpenFlow 1.0 is the group that does the same; it alone allocates.
func AppendKeyOf(b []byte, instructions []openflow.Instruction, numbers *object.Numbers) []byte {
	n := names{numbers: numbers}
	return n.appendKey(b, instructions)
}

// names is what numbers of groups and meters in instructions mean: places in a behaviour's objects, or numbers of a
// switch. Where it is nil they mean nothing but numbers.
type names struct {
	places  []object.Object
	numbers *object.Numbers
}

// meter returns the digest of a meter by its number, nil if the number means nothing else.
func (n *names) meter(number uint32) *object.Digest {
	if len(n.places) > 0 {
		return n.places[number].Digest()
	}
	if m := n.numbers.Meter(number); m != nil {
		return m.Digest()
	}
	return nil
}

// group returns the digest of the group that an action is of, nil if the action is to be taken as it is.
func (n *names) group(a *openflow.Action) *object.Digest {
	var g *object.Group
	switch {
	case a.Type == openflow.ActionGroup && len(n.places) > 0:
		return n.places[a.ID].Digest()
	case a.Type == openflow.ActionGroup:
		g = n.numbers.Group(a.ID)
	case a.Type == openflow.ActionExperimenter && n.numbers != nil:
		g = object.OfBundle(a)
	}
	if g == nil {
		return nil
	}
	return g.Digest()
}

// content stands in keys before the digest of an object, where other instructions and actions have their type.
const content = 0xfffe

func (n *names) appendKey(b []byte, instructions []openflow.Instruction) []byte {
	if len(instructions) == 1 { // of most rules
		return n.appendInstruction(b, &instructions[0])
	}
	var room [8]*openflow.Instruction
	order := room[:0]
	for i := range instructions {
		order = append(order, &instructions[i])
	}
	slices.SortStableFunc(order, func(a, b *openflow.Instruction) int { return cmp.Compare(turn(a.Type), turn(b.Type)) })
	for _, i := range order {
		b = n.appendInstruction(b, i)
	}
	return b
}

// turn is when a switch executes an instruction of a type.
func turn(t openflow.InstructionType) int {
	switch t {
	case openflow.InstructionMeter:
		return 0
	case openflow.InstructionApplyActions:
		return 1
	case openflow.InstructionClearActions:
		return 2
	case openflow.InstructionWriteActions:
		return 3
	case openflow.InstructionWriteMetadata:
		return 4
	case openflow.InstructionGotoTable:
		return 5
	default:
		return 6
	}
}

// appendInstruction appends an instruction: its type, 2 bytes, and its fields; of lists of actions their
// number, 2 bytes, and these. An empty list is left out.
func (n *names) appendInstruction(b []byte, i *openflow.Instruction) []byte {
	list := i.Type == openflow.InstructionApplyActions || i.Type == openflow.InstructionWriteActions
	if list && len(i.Actions) == 0 {
		return b
	}
	if n != nil && i.Type == openflow.InstructionMeter {
		if d := n.meter(i.Meter); d != nil {
			return append(binary.BigEndian.AppendUint16(b, content), d[:]...)
		}
	}
	b = binary.BigEndian.AppendUint16(b, uint16(i.Type))
	switch i.Type {
	case openflow.InstructionApplyActions, openflow.InstructionWriteActions:
		b = binary.BigEndian.AppendUint16(b, uint16(len(i.Actions)))
		for k := range i.Actions {
			b = n.appendAction(b, &i.Actions[k])
		}
	case openflow.InstructionGotoTable:
		b = append(b, i.Table)
	case openflow.InstructionMeter:
		b = binary.BigEndian.AppendUint32(b, i.Meter)
	case openflow.InstructionWriteMetadata:
		b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, i.Metadata), i.MetadataMask)
	case openflow.InstructionExperimenter:
		b = appendData(binary.BigEndian.AppendUint32(b, i.Experimenter), i.Data)
	}
	return b
}

// appendAction appends an action: its type, 2 bytes, and its fields.
func (n *names) appendAction(b []byte, a *openflow.Action) []byte {
	if n != nil {
		if d := n.group(a); d != nil {
			return append(binary.BigEndian.AppendUint16(b, content), d[:]...)
		}
	}
	b = binary.BigEndian.AppendUint16(b, uint16(a.Type))
	switch a.Type {
	case openflow.ActionOutput:
		b = binary.BigEndian.AppendUint32(b, a.Port)
		if a.Port == openflow.PortController { // of other ports it does not count
			b = binary.BigEndian.AppendUint16(b, a.MaxLen)
		}
	case openflow.ActionEnqueue:
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, a.Port), a.ID)
	case openflow.ActionSetMPLSTTL, openflow.ActionSetNwTTL:
		b = append(b, a.TTL)
	case openflow.ActionPushVLAN, openflow.ActionPushMPLS, openflow.ActionPopMPLS, openflow.ActionPushPBB:
		b = binary.BigEndian.AppendUint16(b, a.EtherType)
	case openflow.ActionSetQueue, openflow.ActionGroup, openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP:
		b = binary.BigEndian.AppendUint32(b, a.ID)
	case openflow.ActionSetField:
		b = appendData(b, a.Data)
	case openflow.ActionExperimenter:
		b = appendData(binary.BigEndian.AppendUint32(b, a.ID), a.Data)
	}
	return b
}

// appendData appends the length of data, 2 bytes, and these.
func appendData(b, data []byte) []byte {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(data))), data...)
}
