//go:build real

package openflow

import (
	"encoding/hex"
	"math/bits"
	"strconv"
)

// special gives the leaves of the structs whose fields count only in some of their types, and says
// whether it was one.
func (w *walker) special(x any) bool {
	switch x := x.(type) {
	case Hello:
		for left := x.Versions; left != 0; left &= left - 1 {
			w.add("Hello.Versions", strconv.Itoa(bits.TrailingZeros32(left)))
		}
	case ErrorMsg:
		w.errorMsg(x)
	case Match:
		if w.v == V10 {
			w.match10(x)
		} else {
			w.oxms("OXM", x.OXM)
		}
	case Action:
		w.action(x)
	case Instruction:
		w.instruction(x)
	case QueueProperty:
		w.queueProperty(x)
	case FieldID:
		w.add("FieldID.Class", strconv.Itoa(int(x.OXM>>16)))
		w.add("FieldID.Field", strconv.Itoa(int(x.OXM>>9&0x7f)))
		w.add("FieldID.HasMask", strconv.Itoa(int(x.OXM>>8&1)))
		w.add("FieldID.Length", strconv.Itoa(int(x.OXM&0xff)))
		if x.Experimenter != 0 {
			w.add("FieldID.Experimenter", strconv.Itoa(int(x.Experimenter)))
		}
	case TableProperty:
		w.add("TableProperty.Type", strconv.Itoa(int(x.Type)))
		if x.Type != TableExperimenter && x.Type != TableExperimenterMiss {
			x.Experimenter, x.ExpType = 0, 0
			return w.tableProperty(x)
		}
		w.add("TableProperty.Experimenter", strconv.Itoa(int(x.Experimenter)))
		w.add("TableProperty.ExpType", strconv.Itoa(int(x.ExpType)))
		if len(x.Data) > 0 {
			w.add("TableProperty.Data", "0x"+hex.EncodeToString(x.Data))
		}
	case Band:
		w.band(x)
	default:
		return false
	}
	return true
}

func (w *walker) tableProperty(p TableProperty) bool {
	kind := "ActionID"
	if p.Type == TableInstructions || p.Type == TableInstructionsMiss {
		kind = "InstructionID"
	}
	for _, id := range p.IDs {
		w.add(kind+".Type", strconv.Itoa(int(id.Type)))
		if len(id.Data) > 0 {
			w.add(kind+".Data", "0x"+hex.EncodeToString(id.Data))
		}
	}
	for _, t := range p.Tables {
		w.add("TableProperty.Tables", strconv.Itoa(int(t)))
	}
	for _, f := range p.Fields {
		w.special(f)
	}
	return true
}

// errorTypes10 are the types of errors as OpenFlow 1.0 numbers them, by the numbers of 1.3.
var errorTypes10 = map[ErrorCode]int{0: 0, 1: 1, 2: 2, 5: 3, 7: 4, 9: 5}

// errorCodes10 are the codes of OpenFlow 1.0 that differ from those of 1.3.
var errorCodes10 = map[ErrorCode]int{
	FlowModFailedTableFull: 0, FlowModFailedOverlap: 1, FlowModFailedEPerm: 2, FlowModFailedBadEmergTimeout: 3,
	FlowModFailedBadCommand: 4, FlowModFailedUnsupported: 5,
}

func (w *walker) errorMsg(m ErrorMsg) {
	typ, code := int(m.Code>>16), int(m.Code&0xffff)
	switch {
	case m.Code == ErrorUnnamed:
		typ, code = int(m.Wire>>16), int(m.Wire&0xffff)
	case w.v == V10:
		typ = errorTypes10[m.Code>>16]
		if c, ok := errorCodes10[m.Code]; ok {
			code = c
		}
	}
	w.add("ErrorMsg.Type", strconv.Itoa(typ))
	if m.Code == ErrorExperimenter {
		w.add("ErrorMsg.ExpType", strconv.Itoa(int(m.ExpType)))
		w.add("ErrorMsg.Experimenter", strconv.Itoa(int(m.Experimenter)))
	} else {
		w.add("ErrorMsg.Code", strconv.Itoa(code))
	}
	w.add("ErrorMsg.Data", "0x"+hex.EncodeToString(m.Data))
}

// oxms gives the leaves of a list of TLVs.
func (w *walker) oxms(name string, b []byte) {
	for len(b) > 4 {
		class, field, hasMask, n := int(b[0])<<8|int(b[1]), int(b[2]>>1), int(b[2]&1), int(b[3])
		w.add(name+".Class", strconv.Itoa(class))
		w.add(name+".Field", strconv.Itoa(field))
		w.add(name+".HasMask", strconv.Itoa(hasMask))
		w.add(name+".Length", strconv.Itoa(n))
		if class == 0x8000 {
			w.out = append(w.out, leaf{name + ".Name", Field(field).String()})
		}
		value, mask := b[4:4+n], []byte(nil)
		if hasMask == 1 {
			value, mask = value[:n/2], value[n/2:]
		}
		w.add(name+".Value", "0x"+hex.EncodeToString(value))
		if mask != nil {
			w.add(name+".Mask", "0x"+hex.EncodeToString(mask))
		}
		b = b[4+n:]
	}
}

func (w *walker) action(a Action) {
	if w.v == V13 {
		w.add("Action.Type", strconv.Itoa(int(a.Type)))
	}
	kind := "Action-" + a.Type.String()
	switch a.Type {
	case ActionOutput:
		w.add(kind+".Port", strconv.FormatUint(w.onWire("Action.Port", uint64(a.Port)), 10))
		w.add(kind+".MaxLen", strconv.Itoa(int(a.MaxLen)))
	case ActionEnqueue:
		w.add(kind+".Port", strconv.FormatUint(w.onWire("Action.Port", uint64(a.Port)), 10))
		w.add(kind+".ID", strconv.Itoa(int(a.ID)))
	case ActionGroup, ActionSetQueue, ActionSetVLANVID, ActionSetVLANPCP:
		w.add(kind+".ID", strconv.Itoa(int(a.ID)))
	case ActionSetMPLSTTL, ActionSetNwTTL:
		w.add(kind+".TTL", strconv.Itoa(int(a.TTL)))
	case ActionPushVLAN, ActionPushMPLS, ActionPopMPLS, ActionPushPBB:
		w.add(kind+".EtherType", strconv.Itoa(int(a.EtherType)))
	case ActionExperimenter:
		w.add(kind+".ID", strconv.Itoa(int(a.ID)))
		w.add(kind+".Data", "0x"+hex.EncodeToString(a.Data))
	case ActionSetField:
		if w.v == V10 {
			f, value, _ := a.Field()
			if f == FieldIPDSCP {
				value = []byte{value[0] << 2} // OpenFlow 1.0 has the whole byte, nw_tos
			}
			w.add("SetField10."+f.String(), "0x"+hex.EncodeToString(value))
		} else {
			w.oxms("SetField", a.Data)
		}
	}
}

func (w *walker) instruction(i Instruction) {
	if w.v == V13 {
		w.add("Instruction.Type", strconv.Itoa(int(i.Type)))
	}
	for _, a := range i.Actions {
		w.action(a)
	}
	switch i.Type {
	case InstructionGotoTable:
		w.add("Instruction.Table", strconv.Itoa(int(i.Table)))
	case InstructionWriteMetadata:
		w.add("Instruction.Metadata", strconv.FormatUint(i.Metadata, 10))
		w.add("Instruction.MetadataMask", strconv.FormatUint(i.MetadataMask, 10))
	case InstructionMeter:
		w.add("Instruction.Meter", strconv.Itoa(int(i.Meter)))
	case InstructionExperimenter:
		w.add("Instruction.Experimenter", strconv.Itoa(int(i.Experimenter)))
		w.add("Instruction.Data", "0x"+hex.EncodeToString(i.Data))
	}
}

func (w *walker) queueProperty(p QueueProperty) {
	w.add("QueueProperty.Type", strconv.Itoa(int(p.Type)))
	switch p.Type {
	case QueueMinRate:
		w.add("QueueProperty.MinRate", strconv.Itoa(int(p.Rate)))
	case QueueMaxRate:
		w.add("QueueProperty.MaxRate", strconv.Itoa(int(p.Rate)))
	case QueueExperimenter:
		w.add("QueueProperty.Experimenter", strconv.Itoa(int(p.Experimenter)))
		w.add("QueueProperty.Data", "0x"+hex.EncodeToString(p.Data))
	}
}

func (w *walker) band(b Band) {
	w.add("Band.Type", strconv.Itoa(int(b.Type)))
	kind := "Band-" + b.Type.String()
	w.add(kind+".Rate", strconv.Itoa(int(b.Rate)))
	w.add(kind+".Burst", strconv.Itoa(int(b.Burst)))
	switch b.Type {
	case BandDSCPRemark:
		w.add(kind+".PrecLevel", strconv.Itoa(int(b.PrecLevel)))
	case BandExperimenter:
		w.add(kind+".Experimenter", strconv.Itoa(int(b.Experimenter)))
	}
}
