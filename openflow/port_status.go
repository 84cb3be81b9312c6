package openflow

// PortReason is what happened to a port (enum ofp_port_reason).
type PortReason uint8

// The reasons of a port status.
const (
	PortAdded PortReason = iota
	PortDeleted
	PortModified
)

var portReasonNames = []string{"add", "delete", "modify"}

// String is the name of the reason in the specification, in lower case: "add".
func (r PortReason) String() string { return string(nameOr(nil, portReasonNames, r)) }

// PortStatus tells that a port came, went or changed.
type PortStatus struct {
	Reason PortReason
	Port   Port
}

// Type is TypePortStatus.
func (m *PortStatus) Type() Type { return TypePortStatus }

// Parse reads the reason and, after 7 bytes of pad, the port.
func (m *PortStatus) Parse(v Version, body []byte) error {
	if err := checkLen(TypePortStatus, v, body); err != nil {
		return err
	}
	m.Reason = PortReason(body[0])
	m.Port.parse(v, body[8:])
	return nil
}

// Append writes reason and port.
func (m *PortStatus) Append(b []byte, v Version) ([]byte, error) {
	return m.Port.append(appendPad(append(b, uint8(m.Reason)), 7), v)
}

// AppendText prints reason and port.
func (m *PortStatus) AppendText(b []byte, v Version) []byte {
	b = nameOr(appendKey(b, ' ', "reason"), portReasonNames, m.Reason)
	return m.Port.appendText(appendKey(b, ' ', "port"), v)
}
