package openflow

// FlowModCommand is what a flow-mod does (enum ofp_flow_mod_command).
type FlowModCommand uint8

// The commands of a flow-mod.
const (
	FlowAdd FlowModCommand = iota
	FlowModify
	FlowModifyStrict
	FlowDelete
	FlowDeleteStrict
)

// FlowFlags are the flags of a flow-mod and of flow statistics, as OpenFlow 1.3 numbers them.
type FlowFlags uint16

// The flags of a flow entry.
const (
	FlagSendFlowRemoved FlowFlags = 1 << 0
	FlagCheckOverlap    FlowFlags = 1 << 1
	FlagResetCounts     FlowFlags = 1 << 2  // OpenFlow 1.3; in 1.0 every FlowAdd does
	FlagNoPacketCounts  FlowFlags = 1 << 3  // OpenFlow 1.3
	FlagNoByteCounts    FlowFlags = 1 << 4  // OpenFlow 1.3
	FlagEmergency       FlowFlags = 1 << 15 // OpenFlow 1.0: OFPFF_EMERG, 1<<2 on its wire
)

// FlowMod adds, changes or deletes flow entries.
type FlowMod struct {
	Cookie       uint64
	CookieMask   uint64 // OpenFlow 1.3
	Table        uint8  // OpenFlow 1.3
	Command      FlowModCommand
	IdleTimeout  uint16 // seconds; 0 never
	HardTimeout  uint16 // seconds; 0 never
	Priority     uint16
	Buffer       uint32
	OutPort      uint32 // of deletions; PortAny for no filter
	OutGroup     uint32 // of deletions, OpenFlow 1.3; GroupAny for no filter
	Flags        FlowFlags
	Match        Match
	Instructions []Instruction

	arena arena
}

// Type is TypeFlowMod.
func (*FlowMod) Type() Type { return TypeFlowMod }

// commandNames are the commands of a flow-mod in text.
var commandNames = []string{"add", "modify", "modify_strict", "delete", "delete_strict"}

// String is the command in text: "delete_strict".
func (c FlowModCommand) String() string { return string(nameOr(nil, commandNames, c)) }

// isDelete reports whether the command deletes; only then OutPort and OutGroup count.
func (c FlowModCommand) isDelete() bool { return c == FlowDelete || c == FlowDeleteStrict }

var flowFlagNames = []flagName{
	{uint32(FlagSendFlowRemoved), "send_flow_rem"},
	{uint32(FlagCheckOverlap), "check_overlap"},
	{uint32(FlagResetCounts), "reset_counts"},
	{uint32(FlagNoPacketCounts), "no_pkt_counts"},
	{uint32(FlagNoByteCounts), "no_byt_counts"},
	{uint32(FlagEmergency), "emerg"},
}

// String is the flags in text: "send_flow_rem|check_overlap", or "0".
func (f FlowFlags) String() string { return string(appendFlags(nil, uint32(f), flowFlagNames)) }

// The flags that each version knows; the one that OpenFlow 1.0 has elsewhere.
const (
	flags13     = FlagSendFlowRemoved | FlagCheckOverlap | FlagResetCounts | FlagNoPacketCounts | FlagNoByteCounts
	flags10     = FlagSendFlowRemoved | FlagCheckOverlap | FlagEmergency
	emergency10 = 1 << 2 // OFPFF_EMERG
)

// Parse reads the body of a flow-mod.
func (f *FlowMod) Parse(v Version, b []byte) error {
	f.arena.reset()
	if v == V10 {
		return f.parse10(b)
	}
	if len(b) < 48 {
		return refuse(BadRequestBadLen, "flow_mod with a body of %d bytes", len(b))
	}
	f.Cookie, f.CookieMask = be64(b), be64(b[8:])
	f.Table, f.Command = b[16], FlowModCommand(b[17])
	f.IdleTimeout, f.HardTimeout, f.Priority = be16(b[18:]), be16(b[20:]), be16(b[22:])
	f.Buffer, f.OutPort, f.OutGroup = be32(b[24:]), be32(b[28:]), be32(b[32:])
	f.Flags = FlowFlags(be16(b[36:]))
	if f.Command > FlowDeleteStrict {
		return refuse(FlowModFailedBadCommand, "flow_mod with command %d", f.Command)
	}
	if f.Flags&^flags13 != 0 {
		return refuse(FlowModFailedBadFlags, "flow_mod with flags 0x%04x", uint16(f.Flags))
	}
	n, err := f.Match.parse(v, b[40:], &f.arena)
	if err != nil {
		return err
	}
	f.Instructions, err = parseInstructions(v, b[40+n:], f.Instructions, &f.arena)
	return err
}

func (f *FlowMod) parse10(b []byte) error {
	if len(b) < 64 {
		return refuse(BadRequestBadLen, "flow_mod with a body of %d bytes", len(b))
	}
	if _, err := f.Match.parse(V10, b, &f.arena); err != nil {
		return err
	}
	f.Cookie, f.CookieMask, f.Table, f.OutGroup = be64(b[40:]), 0, 0, GroupAny
	f.IdleTimeout, f.HardTimeout, f.Priority = be16(b[50:]), be16(b[52:]), be16(b[54:])
	f.Buffer, f.OutPort = be32(b[56:]), portFrom10(be16(b[60:]))
	command, flags := be16(b[48:]), be16(b[62:])
	if command > uint16(FlowDeleteStrict) {
		return refuse(FlowModFailedBadCommand, "flow_mod with command %d", command)
	}
	f.Command, f.Flags = FlowModCommand(command), FlowFlags(flags&3)
	if flags&emergency10 != 0 {
		f.Flags |= FlagEmergency
	}
	if flags&^(emergency10|3) != 0 {
		return refuse(FlowModFailedBadFlags, "flow_mod with flags 0x%04x", flags)
	}
	var err error
	f.Instructions, err = parseInstructions(V10, b[64:], f.Instructions, &f.arena)
	return err
}

// Append appends the body. OpenFlow 1.0 has one table: Table must be 0 there, or TableAll in a
// deletion. OutPort and OutGroup of commands that do not delete are written where there is a place
// for them, and mean nothing.
func (f *FlowMod) Append(b []byte, v Version) ([]byte, error) {
	if v == V10 {
		return f.append10(b)
	}
	if f.Flags&^flags13 != 0 {
		return b, inexpressible(v, "flow_mod with flags %s", f.Flags)
	}
	b = append64(append64(b, f.Cookie), f.CookieMask)
	b = append(b, f.Table, uint8(f.Command), uint8(f.IdleTimeout>>8), uint8(f.IdleTimeout),
		uint8(f.HardTimeout>>8), uint8(f.HardTimeout), uint8(f.Priority>>8), uint8(f.Priority))
	b = append64(b, uint64(f.Buffer)<<32|uint64(f.OutPort))
	b = append64(b, uint64(f.OutGroup)<<32|uint64(f.Flags)<<16)
	b, err := f.Match.append(b, v)
	if err != nil {
		return b, err
	}
	return appendInstructions(b, v, f.Instructions)
}

func (f *FlowMod) append10(b []byte) ([]byte, error) {
	if err := f.check10(); err != nil {
		return b, err
	}
	b, err := f.Match.append(b, V10)
	if err != nil {
		return b, err
	}
	port, err := portTo10(f.OutPort)
	if err != nil {
		return b, err
	}
	flags := uint16(f.Flags) & 3
	if f.Flags&FlagEmergency != 0 {
		flags |= emergency10
	}
	b = append64(b, f.Cookie)
	b = append64(b, uint64(f.Command)<<48|uint64(f.IdleTimeout)<<32|uint64(f.HardTimeout)<<16|uint64(f.Priority))
	b = append64(b, uint64(f.Buffer)<<32|uint64(port)<<16|uint64(flags))
	return appendInstructions(b, V10, f.Instructions)
}

// check10 returns what of the flow-mod OpenFlow 1.0 has no field for.
func (f *FlowMod) check10() error {
	flags := f.Flags
	if f.Command == FlowAdd {
		flags &^= FlagResetCounts // there an ADD always resets them
	}
	switch {
	case f.Table != 0 && !(f.Table == TableAll && f.Command.isDelete()):
		return inexpressible(V10, "flow_mod of table %d", f.Table)
	case f.CookieMask != 0:
		return inexpressible(V10, "flow_mod with cookie_mask 0x%x", f.CookieMask)
	case f.OutGroup != GroupAny && f.Command.isDelete():
		return inexpressible(V10, "flow_mod with out_group %d", f.OutGroup)
	case flags&^flags10 != 0:
		return inexpressible(V10, "flow_mod with flags %s", f.Flags)
	}
	return nil
}

// AppendText appends the body as text. What is 0, none or any is left out if it usually is.
func (f *FlowMod) AppendText(b []byte, v Version) []byte {
	b = append(appendKey(b, ' ', "command"), f.Command.String()...)
	if v != V10 {
		b = appendDec(appendKey(b, ' ', "table"), f.Table)
	}
	b = appendDec(appendKey(b, ' ', "priority"), f.Priority)
	b = appendHexN(appendKey(b, ' ', "cookie"), f.Cookie, 16)
	if f.CookieMask != 0 {
		b = appendHexN(appendKey(b, ' ', "cookie_mask"), f.CookieMask, 16)
	}
	b = appendTimeouts(b, ' ', f.IdleTimeout, f.HardTimeout)
	if f.Buffer != NoBuffer {
		b = appendHex(appendKey(b, ' ', "buffer"), f.Buffer)
	}
	if f.OutPort != PortAny {
		b = appendPort(appendKey(b, ' ', "out_port"), f.OutPort)
	}
	if v != V10 && f.OutGroup != GroupAny {
		b = appendGroup(appendKey(b, ' ', "out_group"), f.OutGroup)
	}
	if f.Flags != 0 {
		b = appendFlags(appendKey(b, ' ', "flags"), uint32(f.Flags), flowFlagNames)
	}
	b = f.Match.appendText(appendKey(b, ' ', "match"), v)
	return appendInstructionsText(appendKey(b, ' ', "instructions"), f.Instructions)
}

// appendTimeouts appends the time-outs of a flow entry, in seconds, where they are not 0 (never).
func appendTimeouts(b []byte, sep byte, idle, hard uint16) []byte {
	if idle != 0 {
		b = appendDec(appendKey(b, sep, "idle_timeout"), idle)
	}
	if hard != 0 {
		b = appendDec(appendKey(b, sep, "hard_timeout"), hard)
	}
	return b
}
