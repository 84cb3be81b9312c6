package openflow

// FeaturesRequest asks what the switch is.
type FeaturesRequest struct{}

// FeaturesReply describes the switch.
type FeaturesReply struct {
	DatapathID   uint64
	Buffers      uint32
	Tables       uint8
	Auxiliary    uint8  // OpenFlow 1.3: auxiliary_id; 0 is the main connection
	Capabilities uint32 // bits as the version has them
	Actions      uint32 // OpenFlow 1.0: bitmap of actions; reserved in 1.3
	Ports        []Port // OpenFlow 1.0; empty in 1.3
}

// Bits of FeaturesReply.Capabilities (enum ofp_capabilities).
const (
	CapabilityFlowStats   uint32 = 1 << 0
	CapabilityTableStats  uint32 = 1 << 1
	CapabilityPortStats   uint32 = 1 << 2
	CapabilitySTP         uint32 = 1 << 3 // OpenFlow 1.0
	CapabilityGroupStats  uint32 = 1 << 3 // OpenFlow 1.3
	CapabilityIPReasm     uint32 = 1 << 5
	CapabilityQueueStats  uint32 = 1 << 6
	CapabilityARPMatchIP  uint32 = 1 << 7 // OpenFlow 1.0
	CapabilityPortBlocked uint32 = 1 << 8 // OpenFlow 1.3
)

var capabilityNames10 = []flagName{
	{CapabilityFlowStats, "flow_stats"}, {CapabilityTableStats, "table_stats"}, {CapabilityPortStats, "port_stats"},
	{CapabilitySTP, "stp"}, {CapabilityIPReasm, "ip_reasm"}, {CapabilityQueueStats, "queue_stats"},
	{CapabilityARPMatchIP, "arp_match_ip"},
}

var capabilityNames13 = []flagName{
	{CapabilityFlowStats, "flow_stats"}, {CapabilityTableStats, "table_stats"}, {CapabilityPortStats, "port_stats"},
	{CapabilityGroupStats, "group_stats"}, {CapabilityIPReasm, "ip_reasm"}, {CapabilityQueueStats, "queue_stats"},
	{CapabilityPortBlocked, "port_blocked"},
}

// Type is TypeFeaturesRequest.
func (m *FeaturesRequest) Type() Type { return TypeFeaturesRequest }

// Parse wants no body.
func (m *FeaturesRequest) Parse(v Version, body []byte) error {
	return checkLen(TypeFeaturesRequest, v, body)
}

// Append writes nothing.
func (m *FeaturesRequest) Append(b []byte, _ Version) ([]byte, error) { return b, nil }

// AppendText prints nothing.
func (m *FeaturesRequest) AppendText(b []byte, _ Version) []byte { return b }

// Type is TypeFeaturesReply.
func (m *FeaturesReply) Type() Type { return TypeFeaturesReply }

// Parse reads struct ofp_switch_features, which in OpenFlow 1.0 ends with the ports.
func (m *FeaturesReply) Parse(v Version, body []byte) error {
	if err := checkLen(TypeFeaturesReply, v, body); err != nil {
		return err
	}
	m.DatapathID, m.Buffers = be64(body), be32(body[8:])
	m.Tables, m.Auxiliary = body[12], 0
	if v != V10 {
		m.Auxiliary = body[13]
	}
	m.Capabilities, m.Actions = be32(body[16:]), be32(body[20:])
	m.Ports = parsePorts(m.Ports[:0], v, body[24:])
	return nil
}

// Append writes struct ofp_switch_features.
func (m *FeaturesReply) Append(b []byte, v Version) ([]byte, error) {
	b = append32(append64(b, m.DatapathID), m.Buffers)
	if v == V10 {
		b = append(b, m.Tables, 0, 0, 0)
	} else {
		b = append(b, m.Tables, m.Auxiliary, 0, 0)
	}
	b = append32(append32(b, m.Capabilities), m.Actions)
	if v != V10 && len(m.Ports) > 0 {
		return b, inexpressible(v, "ports in features_reply")
	}
	return appendEach(b, v, m.Ports, (*Port).append)
}

// AppendText prints the fields by their names in the specification.
func (m *FeaturesReply) AppendText(b []byte, v Version) []byte {
	b = appendHexN(appendKey(b, ' ', "datapath_id"), m.DatapathID, 16)
	b = appendDec(appendKey(b, ' ', "n_buffers"), m.Buffers)
	b = appendDec(appendKey(b, ' ', "n_tables"), m.Tables)
	if v == V10 {
		b = appendFlags(appendKey(b, ' ', "capabilities"), m.Capabilities, capabilityNames10)
		b = appendHex(appendKey(b, ' ', "actions"), m.Actions)
		return appendListText(appendKey(b, ' ', "ports"), v, m.Ports, (*Port).appendText)
	}
	b = appendDec(appendKey(b, ' ', "auxiliary_id"), m.Auxiliary)
	b = appendFlags(appendKey(b, ' ', "capabilities"), m.Capabilities, capabilityNames13)
	if m.Actions != 0 {
		b = appendHex(appendKey(b, ' ', "reserved"), m.Actions)
	}
	return b
}
