package openflow

// TableMod sets the configuration of a flow table: OpenFlow 1.3, where no bit of it has a meaning
// any more.
type TableMod struct {
	Table  uint8 // TableAll for all
	Config uint32
}

// Type is TypeTableMod.
func (m *TableMod) Type() Type { return TypeTableMod }

// Parse reads struct ofp_table_mod.
func (m *TableMod) Parse(v Version, body []byte) error {
	if err := checkLen(TypeTableMod, v, body); err != nil {
		return err
	}
	m.Table, m.Config = body[0], be32(body[4:])
	return nil
}

// Append writes struct ofp_table_mod.
func (m *TableMod) Append(b []byte, v Version) ([]byte, error) {
	if v == V10 {
		return b, inexpressible(v, "message table_mod")
	}
	return append32(append(b, m.Table, 0, 0, 0), m.Config), nil
}

// AppendText prints the fields by their names in the specification.
func (m *TableMod) AppendText(b []byte, _ Version) []byte {
	b = appendTable(appendKey(b, ' ', "table"), m.Table)
	return appendHex(appendKey(b, ' ', "config"), m.Config)
}
