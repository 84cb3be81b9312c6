package openflow

// AsyncMasks say which asynchronous messages a controller gets: bit n stands for the reason n of
// the message. The first mask counts while the controller is master or equal, the second while it
// is slave. OpenFlow 1.3.
type AsyncMasks struct {
	PacketIn    [2]uint32 // bits 1<<PacketInReason
	PortStatus  [2]uint32 // bits 1<<PortReason
	FlowRemoved [2]uint32 // bits 1<<FlowRemovedReason
}

// GetAsyncRequest asks which asynchronous messages this controller gets.
type GetAsyncRequest struct{}

// GetAsyncReply tells which asynchronous messages this controller gets.
type GetAsyncReply struct{ AsyncMasks }

// SetAsync sets which asynchronous messages this controller gets. There is no answer.
type SetAsync struct{ AsyncMasks }

// Type is TypeGetAsyncRequest.
func (m *GetAsyncRequest) Type() Type { return TypeGetAsyncRequest }

// Parse wants no body.
func (m *GetAsyncRequest) Parse(v Version, body []byte) error {
	return checkLen(TypeGetAsyncRequest, v, body)
}

// Append writes nothing.
func (m *GetAsyncRequest) Append(b []byte, v Version) ([]byte, error) {
	if v == V10 {
		return b, inexpressible(v, "message get_async_request")
	}
	return b, nil
}

// AppendText prints nothing.
func (m *GetAsyncRequest) AppendText(b []byte, _ Version) []byte { return b }

// Type is TypeGetAsyncReply.
func (m *GetAsyncReply) Type() Type { return TypeGetAsyncReply }

// Parse reads struct ofp_async_config.
func (m *GetAsyncReply) Parse(v Version, body []byte) error {
	return m.parse(TypeGetAsyncReply, v, body)
}

// Append writes struct ofp_async_config.
func (m *GetAsyncReply) Append(b []byte, v Version) ([]byte, error) { return m.append(b, v) }

// AppendText prints the masks by the names of the reasons.
func (m *GetAsyncReply) AppendText(b []byte, _ Version) []byte { return m.appendText(b) }

// Type is TypeSetAsync.
func (m *SetAsync) Type() Type { return TypeSetAsync }

// Parse reads struct ofp_async_config.
func (m *SetAsync) Parse(v Version, body []byte) error { return m.parse(TypeSetAsync, v, body) }

// Append writes struct ofp_async_config.
func (m *SetAsync) Append(b []byte, v Version) ([]byte, error) { return m.append(b, v) }

// AppendText prints the masks by the names of the reasons.
func (m *SetAsync) AppendText(b []byte, _ Version) []byte { return m.appendText(b) }

func (m *AsyncMasks) parse(t Type, v Version, body []byte) error {
	if err := checkLen(t, v, body); err != nil {
		return err
	}
	for i := range 2 {
		m.PacketIn[i] = be32(body[4*i:])
		m.PortStatus[i] = be32(body[8+4*i:])
		m.FlowRemoved[i] = be32(body[16+4*i:])
	}
	return nil
}

func (m *AsyncMasks) append(b []byte, v Version) ([]byte, error) {
	if v == V10 {
		return b, inexpressible(v, "asynchronous configuration")
	}
	for _, masks := range [...][2]uint32{m.PacketIn, m.PortStatus, m.FlowRemoved} {
		b = append32(append32(b, masks[0]), masks[1])
	}
	return b, nil
}

var (
	packetInBits    = []flagName{{1 << 0, "no_match"}, {1 << 1, "action"}, {1 << 2, "invalid_ttl"}}
	portStatusBits  = []flagName{{1 << 0, "add"}, {1 << 1, "delete"}, {1 << 2, "modify"}}
	flowRemovedBits = []flagName{{1 << 0, "idle_timeout"}, {1 << 1, "hard_timeout"}, {1 << 2, "delete"}, {1 << 3, "group_delete"}}
)

func (m *AsyncMasks) appendText(b []byte) []byte {
	b = appendMaskPair(appendKey(b, ' ', "packet_in_mask"), m.PacketIn, packetInBits)
	b = appendMaskPair(appendKey(b, ' ', "port_status_mask"), m.PortStatus, portStatusBits)
	return appendMaskPair(appendKey(b, ' ', "flow_removed_mask"), m.FlowRemoved, flowRemovedBits)
}

func appendMaskPair(b []byte, masks [2]uint32, names []flagName) []byte {
	b = appendFlags(append(b, '['), masks[0], names)
	b = appendFlags(append(b, ','), masks[1], names)
	return append(b, ']')
}
