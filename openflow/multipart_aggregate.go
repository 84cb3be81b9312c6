package openflow

// AggregateRequest asks for the sums over the flow entries that its fields select; the answer is an
// AggregateStats.
type AggregateRequest struct{ FlowFilter }

// AggregateStats are the sums over some flow entries.
type AggregateStats struct {
	Packets uint64
	Bytes   uint64
	Flows   uint32 // how many entries
}

// Kind is MultipartAggregate.
func (*AggregateRequest) Kind() MultipartType { return MultipartAggregate }

func (*AggregateRequest) isRequest() {}

// Kind is MultipartAggregate.
func (*AggregateStats) Kind() MultipartType { return MultipartAggregate }

func (*AggregateStats) isReply() {}

func (s *AggregateStats) parse(_ Version, body []byte) error {
	s.Packets, s.Bytes, s.Flows = be64(body), be64(body[8:]), be32(body[16:])
	return nil
}

func (s *AggregateStats) append(b []byte, _ Version) ([]byte, error) {
	return appendPad(append32(append64(append64(b, s.Packets), s.Bytes), s.Flows), 4), nil
}

func (s *AggregateStats) appendText(b []byte, _ Version) []byte {
	b = appendDec(appendKey(b, ' ', "packet_count"), s.Packets)
	b = appendDec(appendKey(b, ' ', "byte_count"), s.Bytes)
	return appendDec(appendKey(b, ' ', "flow_count"), s.Flows)
}
