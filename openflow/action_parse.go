package openflow

import (
	"errors"
	"strconv"
	"strings"
)

// ParseAction reads an action as text: "output:3", "output:controller:128",
// "set_field:00:00:00:00:00:01->eth_dst", "group:7". It reads all that Action.String writes. Its
// memory is its own.
func ParseAction(s string) (Action, error) {
	name, arg, _ := strings.Cut(s, ":")
	a := Action{}
	for t, n := range actionNames {
		if n == name {
			a.Type = t
			return a, wrapText("action", s, a.setText(arg, len(arg) > 0))
		}
	}
	return a, wrapText("action", s,
		errors.New("no such action; there are output, set_field, group, push_vlan, pop_vlan, set_queue and the like"))
}

// wrapText adds to an error the text that it is about.
func wrapText(what, s string, err error) error {
	if err == nil {
		return nil
	}
	return errors.New(what + " " + strconv.Quote(s) + ": " + err.Error())
}

// setText reads the argument of an action whose type is known.
func (a *Action) setText(arg string, given bool) error {
	var err error
	switch a.Type {
	case ActionOutput:
		err = a.setOutput(arg)
	case ActionEnqueue:
		port, queue, _ := strings.Cut(arg, ":")
		if a.Port, err = ParsePort(port); err == nil {
			a.ID, err = parseID(queue, "a port and a queue, like enqueue:3:1", nil)
		}
	case ActionGroup:
		a.ID, err = parseID(arg, "a group", map[string]uint32{"any": GroupAny, "all": GroupAll})
	case ActionSetQueue:
		a.ID, err = parseID(arg, "a queue", nil)
	case ActionSetVLANVID:
		a.ID, err = parseBounded(arg, vlanVIDMask)
	case ActionSetVLANPCP:
		a.ID, err = parseBounded(arg, 7)
	case ActionSetMPLSTTL, ActionSetNwTTL:
		var v uint32
		v, err = parseBounded(arg, 255)
		a.TTL = uint8(v)
	case ActionPushVLAN, ActionPushMPLS, ActionPopMPLS, ActionPushPBB:
		var v uint32
		v, err = parseBounded(arg, 0xffff)
		a.EtherType = uint16(v)
	case ActionSetField:
		a.Data, err = parseSetField(arg)
	case ActionExperimenter:
		a.ID, a.Data, err = parseExperimenter(arg)
	default:
		if given {
			err = errors.New("want no argument")
		}
	}
	return err
}

// setOutput reads a port, or port:bytes.
func (a *Action) setOutput(arg string) error {
	port, bytes, cut := strings.Cut(arg, ":")
	var err error
	if a.Port, err = ParsePort(port); err != nil {
		return err
	}
	a.MaxLen = defaultMaxLen(a.Port)
	if cut {
		var v uint32
		v, err = parseBounded(bytes, 0xffff)
		a.MaxLen = uint16(v)
	}
	return err
}

// parseID reads a number of 32 bits or one of some names.
func parseID(s, want string, names map[string]uint32) (uint32, error) {
	if v, ok := names[s]; ok {
		return v, nil
	}
	v, err := parseUint(s, 32)
	if err != nil {
		return 0, errors.New("want " + want)
	}
	return uint32(v), nil
}

// parseBounded reads a number up to most.
func parseBounded(s string, most uint32) (uint32, error) {
	v, err := parseUint(s, 32)
	if err != nil || v > uint64(most) {
		return 0, errors.New("want a number of at most " + strconv.FormatUint(uint64(most), 10))
	}
	return uint32(v), nil
}

// parseSetField reads VALUE->FIELD and returns the TLV.
func parseSetField(s string) ([]byte, error) {
	value, name, ok := strings.Cut(s, "->")
	if !ok {
		return nil, errors.New("want a value and a field, like set_field:00:00:00:00:00:01->eth_dst")
	}
	if strings.HasPrefix(name, "oxm_0x") {
		return parseOtherOXM(name, value)
	}
	f, ok := FieldByName(name)
	if !ok {
		return nil, errors.New("no field " + strconv.Quote(name))
	}
	v, mask, err := parseOXMValue(f, value)
	if err == nil && mask != nil {
		err = errors.New("a value that is set has no mask")
	}
	return appendOXM(nil, f, v, nil), err
}

// parseExperimenter reads ID:0xBYTES.
func parseExperimenter(s string) (id uint32, data []byte, err error) {
	first, rest, _ := strings.Cut(s, ":")
	if id, err = parseID(first, "an experimenter and bytes, like experimenter:0x00002320:0x0001", nil); err != nil {
		return 0, nil, err
	}
	data, err = parseHexBytes(rest)
	return id, data, err
}

// ParseInstruction reads an instruction as text: "goto_table:1", "meter:2", "clear",
// "write_metadata:0x1/0xff", "apply:[output:3,group:7]", "write:[…]". It reads all that
// Instruction.String writes. Its memory is its own.
func ParseInstruction(s string) (Instruction, error) {
	name, arg, _ := strings.Cut(s, ":")
	i := Instruction{Type: InstructionExperimenter}
	for t, n := range instructionNames {
		if n == name && t > 0 {
			i.Type = InstructionType(t)
		}
	}
	if i.Type == InstructionExperimenter && name != "experimenter" {
		return i, wrapText("instruction", s,
			errors.New("no such instruction; there are apply, write, clear, goto_table, meter, write_metadata, experimenter"))
	}
	return i, wrapText("instruction", s, i.setText(arg))
}

// setText reads the argument of an instruction whose type is known.
func (i *Instruction) setText(arg string) error {
	var err error
	switch i.Type {
	case InstructionGotoTable:
		var v uint32
		v, err = parseBounded(arg, 255)
		i.Table = uint8(v)
	case InstructionMeter:
		i.Meter, err = parseID(arg, "a meter",
			map[string]uint32{"all": MeterAll, "controller": MeterController, "slowpath": MeterSlowpath})
	case InstructionWriteMetadata:
		err = i.setMetadata(arg)
	case InstructionClearActions:
		if arg != "" {
			err = errors.New("want no argument")
		}
	case InstructionApplyActions, InstructionWriteActions:
		i.Actions, err = parseActionList(arg)
	case InstructionExperimenter:
		i.Experimenter, i.Data, err = parseExperimenter(arg)
	}
	return err
}

// setMetadata reads a value, or value/mask.
func (i *Instruction) setMetadata(arg string) error {
	value, maskText, masked := strings.Cut(arg, "/")
	v, err := parseUint(value, 64)
	mask := uint64(1<<64 - 1)
	if err == nil && masked {
		mask, err = parseUint(maskText, 64)
	}
	if err != nil {
		return errors.New("want a value or a value and a mask, like write_metadata:0x1/0xff")
	}
	i.Metadata, i.MetadataMask = v, mask
	return nil
}

// parseActionList reads [action,action].
func parseActionList(s string) ([]Action, error) {
	s, open := strings.CutPrefix(s, "[")
	s, closed := strings.CutSuffix(s, "]")
	if !open || !closed {
		return nil, errors.New("want a list of actions in brackets, like apply:[output:3]")
	}
	if s == "" {
		return nil, nil
	}
	var list []Action
	for part := range strings.SplitSeq(s, ",") {
		a, err := ParseAction(part)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}
