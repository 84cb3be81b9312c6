package openflow

// EchoRequest asks whether the peer lives; EchoReply answers with the same data.
type EchoRequest struct{ Data []byte }

// EchoReply answers an EchoRequest with its data.
type EchoReply struct{ Data []byte }

// Type is TypeEchoRequest.
func (m *EchoRequest) Type() Type { return TypeEchoRequest }

// Parse keeps a view of the data.
func (m *EchoRequest) Parse(_ Version, body []byte) error {
	m.Data = body
	return nil
}

// Append writes the data.
func (m *EchoRequest) Append(b []byte, _ Version) ([]byte, error) { return append(b, m.Data...), nil }

// AppendText prints the data.
func (m *EchoRequest) AppendText(b []byte, _ Version) []byte {
	return appendHexBytes(appendKey(b, ' ', "data"), m.Data)
}

// Type is TypeEchoReply.
func (m *EchoReply) Type() Type { return TypeEchoReply }

// Parse keeps a view of the data.
func (m *EchoReply) Parse(_ Version, body []byte) error {
	m.Data = body
	return nil
}

// Append writes the data.
func (m *EchoReply) Append(b []byte, _ Version) ([]byte, error) { return append(b, m.Data...), nil }

// AppendText prints the data.
func (m *EchoReply) AppendText(b []byte, _ Version) []byte {
	return appendHexBytes(appendKey(b, ' ', "data"), m.Data)
}
