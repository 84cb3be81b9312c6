package openflow

// PortMod changes the configuration of a port. Config and Mask have the bits of Port.Config,
// Advertise those of its features.
type PortMod struct {
	Port      uint32
	HWAddr    [6]byte // must be that of the port
	Config    uint32
	Mask      uint32 // bits of Config to change
	Advertise uint32 // 0 changes nothing
}

// Type is TypePortMod.
func (m *PortMod) Type() Type { return TypePortMod }

// Parse reads struct ofp_port_mod.
func (m *PortMod) Parse(v Version, body []byte) error {
	if err := checkLen(TypePortMod, v, body); err != nil {
		return err
	}
	if v == V10 {
		m.Port = portFrom10(be16(body))
		copy(m.HWAddr[:], body[2:8])
		m.Config, m.Mask = swapBits(be32(body[8:]), config10), swapBits(be32(body[12:]), config10)
		m.Advertise = featuresFrom10(be32(body[16:]))
		return nil
	}
	m.Port = be32(body)
	copy(m.HWAddr[:], body[8:14])
	m.Config, m.Mask, m.Advertise = be32(body[16:]), be32(body[20:]), be32(body[24:])
	return nil
}

// Append writes struct ofp_port_mod.
func (m *PortMod) Append(b []byte, v Version) ([]byte, error) {
	if v == V10 {
		port, err := portTo10(m.Port)
		if err != nil {
			return b, err
		}
		b = append(append16(b, port), m.HWAddr[:]...)
		b = append32(append32(b, swapBits(m.Config, config10)), swapBits(m.Mask, config10))
		return appendPad(append32(b, featuresTo10(m.Advertise)), 4), nil
	}
	b = appendPad(append32(b, m.Port), 4)
	b = appendPad(append(b, m.HWAddr[:]...), 2)
	b = append32(append32(b, m.Config), m.Mask)
	return appendPad(append32(b, m.Advertise), 4), nil
}

// AppendText prints the fields by their names in the specification.
func (m *PortMod) AppendText(b []byte, _ Version) []byte {
	b = appendPort(appendKey(b, ' ', "port"), m.Port)
	b = appendMAC(appendKey(b, ' ', "hw_addr"), m.HWAddr[:])
	b = appendFlags(appendKey(b, ' ', "config"), m.Config, portConfigNames)
	b = appendFlags(appendKey(b, ' ', "mask"), m.Mask, portConfigNames)
	return appendFlags(appendKey(b, ' ', "advertise"), m.Advertise, portFeatureNames)
}
