package openflow

// ExperimenterNicira is the id of Nicira (NX_VENDOR_ID), whose messages Open vSwitch understands.
const ExperimenterNicira uint32 = niciraID

// Experimenter is an experimenter's message (vendor, in OpenFlow 1.0); its bytes are kept exactly.
type Experimenter struct {
	Experimenter uint32
	ExpType      uint32 // OpenFlow 1.3; in 1.0 the first four bytes of Data are the vendor's own
	Data         []byte
}

// Type is TypeExperimenter.
func (m *Experimenter) Type() Type { return TypeExperimenter }

// Parse keeps a view of all after the ids.
func (m *Experimenter) Parse(v Version, body []byte) error {
	if err := checkLen(TypeExperimenter, v, body); err != nil {
		return err
	}
	m.Experimenter, m.ExpType, m.Data = be32(body), 0, body[4:]
	if v != V10 {
		m.ExpType, m.Data = be32(body[4:]), body[8:]
	}
	return nil
}

// Append writes the ids and the data. OpenFlow 1.0 has no place for ExpType.
func (m *Experimenter) Append(b []byte, v Version) ([]byte, error) {
	b, err := appendExperimenter(b, v, m.Experimenter, m.ExpType)
	return append(b, m.Data...), err
}

// appendExperimenter writes the ids that begin messages and multipart bodies of an experimenter.
func appendExperimenter(b []byte, v Version, experimenter, expType uint32) ([]byte, error) {
	b = append32(b, experimenter)
	if v != V10 {
		return append32(b, expType), nil
	}
	if expType != 0 {
		return b, inexpressible(v, "exp_type %d", expType)
	}
	return b, nil
}

// AppendText prints the ids and the data.
func (m *Experimenter) AppendText(b []byte, v Version) []byte {
	return appendExperimenterText(b, v, m.Experimenter, m.ExpType, m.Data)
}

func appendExperimenterText(b []byte, v Version, experimenter, expType uint32, data []byte) []byte {
	b = appendHex(appendKey(b, ' ', "experimenter"), experimenter)
	if v != V10 {
		b = appendDec(appendKey(b, ' ', "exp_type"), expType)
	}
	return appendHexBytes(appendKey(b, ' ', "data"), data)
}
