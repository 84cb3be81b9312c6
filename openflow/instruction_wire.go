package openflow

// parseInstructions reads a list of instructions that fills b into dst, replacing what is there. In
// OpenFlow 1.0 b is a list of actions, which is one InstructionApplyActions, or none where it is
// empty. Actions live in a; Data are views of b.
func parseInstructions(v Version, b []byte, dst []Instruction, a *arena) ([]Instruction, error) {
	dst = dst[:0]
	if v == V10 {
		actions, err := parseActions(v, b, a)
		if len(actions) > 0 {
			dst = append(dst, Instruction{Type: InstructionApplyActions, Actions: actions})
		}
		return dst, err
	}
	for len(b) > 0 {
		if len(b) < 8 {
			return dst, refuse(BadInstructionBadLen, "%d bytes after the last instruction", len(b))
		}
		n := int(be16(b[2:]))
		if n < 8 || n%8 != 0 || n > len(b) {
			return dst, refuse(BadInstructionBadLen, "instruction of type %d and %d bytes in %d", be16(b), n, len(b))
		}
		dst = append(dst, Instruction{})
		if err := dst[len(dst)-1].parse(v, b[:n:n], a); err != nil {
			return dst, err
		}
		b = b[n:]
	}
	return dst, nil
}

// parse reads one instruction that fills b.
func (i *Instruction) parse(v Version, b []byte, a *arena) error {
	i.Type = InstructionType(be16(b))
	want := 8
	switch i.Type {
	case InstructionApplyActions, InstructionWriteActions:
		actions, err := parseActions(v, b[8:], a)
		i.Actions = actions
		return err
	case InstructionGotoTable:
		i.Table = b[4]
	case InstructionWriteMetadata:
		if want = 24; len(b) == want {
			i.Metadata, i.MetadataMask = be64(b[8:]), be64(b[16:])
		}
	case InstructionMeter:
		i.Meter = be32(b[4:])
	case InstructionClearActions:
	case InstructionExperimenter:
		i.Experimenter, i.Data = be32(b[4:]), view(b, 8, len(b))
		return nil
	default:
		return refuse(BadInstructionUnknownInst, "instruction of type %d", i.Type)
	}
	if len(b) != want {
		return refuse(BadInstructionBadLen, "instruction %s of %d bytes, not %d", i.Type, len(b), want)
	}
	return nil
}

// appendInstructions appends a list of instructions as version v writes it: in OpenFlow 1.0 the
// actions of the one InstructionApplyActions.
func appendInstructions(b []byte, v Version, list []Instruction) ([]byte, error) {
	if v == V10 {
		switch {
		case len(list) == 0:
			return b, nil
		case len(list) > 1:
			return b, inexpressible(v, "%d instructions", len(list))
		case list[0].Type != InstructionApplyActions:
			return b, inexpressible(v, "instruction %s", list[0].Type)
		}
		return appendActions(b, v, list[0].Actions)
	}
	for i := range list {
		var err error
		if b, err = list[i].append(b, v); err != nil {
			return b, err
		}
	}
	return b, nil
}

// append appends one instruction as OpenFlow 1.3 writes it.
func (i *Instruction) append(b []byte, v Version) ([]byte, error) {
	t := uint8(i.Type)
	start := len(b)
	switch i.Type {
	case InstructionApplyActions, InstructionWriteActions:
		b, err := appendActions(append(b, 0, t, 0, 0, 0, 0, 0, 0), v, i.Actions)
		if err != nil {
			return b, err
		}
		return b, setLen16(b, start, start+2)
	case InstructionGotoTable:
		return append(b, 0, t, 0, 8, i.Table, 0, 0, 0), nil
	case InstructionWriteMetadata:
		b = append(b, 0, t, 0, 24, 0, 0, 0, 0)
		return append64(append64(b, i.Metadata), i.MetadataMask), nil
	case InstructionMeter:
		return append32(append(b, 0, t, 0, 8), i.Meter), nil
	case InstructionClearActions:
		return append(b, 0, t, 0, 8, 0, 0, 0, 0), nil
	case InstructionExperimenter:
		b = append32(append(b, 0xff, 0xff, 0, 0), i.Experimenter)
		b = appendPad(append(b, i.Data...), padTo8(len(i.Data)))
		return b, setLen16(b, start, start+2)
	}
	return b, inexpressible(v, "instruction %s", i.Type)
}

// instructionNames are the names of the instructions in text.
var instructionNames = []string{"", "goto_table", "write_metadata", "write", "apply", "clear", "meter"}

// String is the name of the instruction: "goto_table".
func (t InstructionType) String() string {
	if t == InstructionExperimenter {
		return "experimenter"
	}
	return string(nameOr(nil, instructionNames, t))
}

// String is the instruction as text: "goto_table:1", "apply:[output:3]".
func (i Instruction) String() string { return string(i.appendText(nil)) }

// appendInstructionsText appends a list of instructions: [apply:[output:3],goto_table:1].
func appendInstructionsText(b []byte, list []Instruction) []byte {
	b = append(b, '[')
	for i := range list {
		b = list[i].appendText(appendSep(b))
	}
	return append(b, ']')
}

// appendText appends one instruction. A metadata mask of all ones is left out.
func (i *Instruction) appendText(b []byte) []byte {
	b = append(b, i.Type.String()...)
	switch i.Type {
	case InstructionApplyActions, InstructionWriteActions:
		b = appendActionsText(append(b, ':'), i.Actions)
	case InstructionGotoTable:
		b = appendDec(append(b, ':'), i.Table)
	case InstructionWriteMetadata:
		b = appendHex(append(b, ':'), i.Metadata)
		if i.MetadataMask != 1<<64-1 {
			b = appendHex(append(b, '/'), i.MetadataMask)
		}
	case InstructionMeter:
		b = appendMeter(append(b, ':'), i.Meter)
	case InstructionExperimenter:
		b = appendHexN(append(b, ':'), uint64(i.Experimenter), 8)
		b = appendHexBytes(append(b, ':'), i.Data)
	}
	return b
}

// appendMeter appends a meter's number, or its name if it is reserved.
func appendMeter(b []byte, id uint32) []byte {
	switch id {
	case MeterAll:
		return append(b, "all"...)
	case MeterController:
		return append(b, "controller"...)
	case MeterSlowpath:
		return append(b, "slowpath"...)
	}
	return appendDec(b, id)
}
