package openflow

// MeterModCommand is what a meter-mod does (enum ofp_meter_mod_command).
type MeterModCommand uint16

// The commands of a meter-mod.
const (
	MeterAdd MeterModCommand = iota
	MeterModify
	MeterDelete
)

var meterCommandNames = []string{"add", "modify", "delete"}

// String is the command in text: "add".
func (c MeterModCommand) String() string { return string(nameOr(nil, meterCommandNames, c)) }

// MeterFlags are the flags of a meter (enum ofp_meter_flags).
type MeterFlags uint16

// The flags of a meter.
const (
	MeterFlagKbps  MeterFlags = 1 << 0 // rates are in kbit/s
	MeterFlagPktps MeterFlags = 1 << 1 // rates are in packets/s
	MeterFlagBurst MeterFlags = 1 << 2 // burst sizes count
	MeterFlagStats MeterFlags = 1 << 3 // statistics are collected

	allMeterFlags = MeterFlagKbps | MeterFlagPktps | MeterFlagBurst | MeterFlagStats
)

var meterFlagNames = []flagName{
	{uint32(MeterFlagKbps), "kbps"}, {uint32(MeterFlagPktps), "pktps"}, {uint32(MeterFlagBurst), "burst"},
	{uint32(MeterFlagStats), "stats"},
}

// String is the flags in text: "kbps|burst", or "0".
func (f MeterFlags) String() string { return string(appendFlags(nil, uint32(f), meterFlagNames)) }

// MeterMod adds, changes or deletes a meter. OpenFlow 1.3.
type MeterMod struct {
	Command MeterModCommand
	Flags   MeterFlags
	Meter   uint32 // MeterAll in a deletion: all of them
	Bands   []Band
}

// Type is TypeMeterMod.
func (*MeterMod) Type() Type { return TypeMeterMod }

// Parse reads the body of a meter-mod.
func (m *MeterMod) Parse(v Version, b []byte) error {
	if v == V10 || len(b) < 8 {
		return refuse(BadRequestBadLen, "meter_mod with a body of %d bytes", len(b))
	}
	m.Command, m.Flags, m.Meter = MeterModCommand(be16(b)), MeterFlags(be16(b[2:])), be32(b[4:])
	if m.Command > MeterDelete {
		return refuse(MeterModFailedBadCommand, "meter_mod with command %d", m.Command)
	}
	if m.Command != MeterDelete &&
		(m.Flags&^allMeterFlags != 0 || m.Flags&(MeterFlagKbps|MeterFlagPktps) == MeterFlagKbps|MeterFlagPktps) {
		return refuse(MeterModFailedBadFlags, "meter_mod with flags %s", m.Flags)
	}
	var err error
	m.Bands, err = parseBands(b[8:], m.Bands[:0])
	return err
}

// Append appends the body.
func (m *MeterMod) Append(b []byte, v Version) ([]byte, error) {
	if v == V10 {
		return b, inexpressible(v, "meter_mod")
	}
	b = append32(append16(append16(b, uint16(m.Command)), uint16(m.Flags)), m.Meter)
	return appendBands(b, v, m.Bands)
}

// AppendText appends the body as text.
func (m *MeterMod) AppendText(b []byte, v Version) []byte {
	b = append(appendKey(b, ' ', "command"), m.Command.String()...)
	b = appendFlags(appendKey(b, ' ', "flags"), uint32(m.Flags), meterFlagNames)
	b = appendMeter(appendKey(b, ' ', "meter"), m.Meter)
	return appendListText(appendKey(b, ' ', "bands"), v, m.Bands, (*Band).appendText)
}
