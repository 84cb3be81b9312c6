package openflow

// BarrierRequest asks for all before it to be done before anything after it.
type BarrierRequest struct{}

// BarrierReply answers a BarrierRequest.
type BarrierReply struct{}

// Type is TypeBarrierRequest.
func (m *BarrierRequest) Type() Type { return TypeBarrierRequest }

// Parse wants no body.
func (m *BarrierRequest) Parse(v Version, body []byte) error {
	return checkLen(TypeBarrierRequest, v, body)
}

// Append writes nothing.
func (m *BarrierRequest) Append(b []byte, _ Version) ([]byte, error) { return b, nil }

// AppendText prints nothing.
func (m *BarrierRequest) AppendText(b []byte, _ Version) []byte { return b }

// Type is TypeBarrierReply.
func (m *BarrierReply) Type() Type { return TypeBarrierReply }

// Parse wants no body.
func (m *BarrierReply) Parse(v Version, body []byte) error {
	return checkLen(TypeBarrierReply, v, body)
}

// Append writes nothing.
func (m *BarrierReply) Append(b []byte, _ Version) ([]byte, error) { return b, nil }

// AppendText prints nothing.
func (m *BarrierReply) AppendText(b []byte, _ Version) []byte { return b }
