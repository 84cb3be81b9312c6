package openflow

// QueueRequest asks for the counters of queues.
type QueueRequest struct {
	Port  uint32 // PortAny, in OpenFlow 1.0 PortAll, for all
	Queue uint32 // QueueAll for all
}

// QueueStatsList is the answer to a QueueRequest.
type QueueStatsList struct{ Queues []QueueStats }

// QueueStats are the counters of a queue.
type QueueStats struct {
	Port         uint32
	Queue        uint32
	TxBytes      uint64
	TxPackets    uint64
	TxErrors     uint64 // packets dropped because the queue was full
	DurationSec  uint32 // OpenFlow 1.3
	DurationNsec uint32 // OpenFlow 1.3
}

// Kind is MultipartQueue.
func (*QueueRequest) Kind() MultipartType { return MultipartQueue }

func (*QueueRequest) isRequest() {}

func (r *QueueRequest) parse(v Version, body []byte) error {
	r.Port, r.Queue = parsePortNumber(v, body), be32(body[4:])
	return nil
}

func (r *QueueRequest) append(b []byte, v Version) ([]byte, error) {
	return appendPortAndQueue(b, v, r.Port, r.Queue)
}

// appendPortAndQueue writes the numbers of a port, filled up to 4 bytes, and of a queue.
func appendPortAndQueue(b []byte, v Version, port, queue uint32) ([]byte, error) {
	b, err := appendPortNumber(b, v, port)
	if v == V10 {
		b = appendPad(b, 2)
	}
	return append32(b, queue), err
}

func (r *QueueRequest) appendText(b []byte, _ Version) []byte {
	b = appendPort(appendKey(b, ' ', "port"), r.Port)
	return appendQueue(appendKey(b, ' ', "queue"), r.Queue)
}

// Kind is MultipartQueue.
func (*QueueStatsList) Kind() MultipartType { return MultipartQueue }

func (*QueueStatsList) isReply() {}

func (l *QueueStatsList) parse(v Version, body []byte) error {
	for len(body) > 0 {
		q := QueueStats{
			Port: parsePortNumber(v, body), Queue: be32(body[4:]),
			TxBytes: be64(body[8:]), TxPackets: be64(body[16:]), TxErrors: be64(body[24:]),
		}
		body = body[32:]
		if v != V10 {
			q.DurationSec, q.DurationNsec = be32(body), be32(body[4:])
			body = body[8:]
		}
		l.Queues = append(l.Queues, q)
	}
	return nil
}

func (l *QueueStatsList) append(b []byte, v Version) ([]byte, error) {
	return appendEach(b, v, l.Queues, (*QueueStats).append)
}

func (q *QueueStats) append(b []byte, v Version) ([]byte, error) {
	b, err := appendPortAndQueue(b, v, q.Port, q.Queue)
	b = append64(append64(append64(b, q.TxBytes), q.TxPackets), q.TxErrors)
	if v != V10 {
		b = append32(append32(b, q.DurationSec), q.DurationNsec)
	}
	return b, err
}

func (l *QueueStatsList) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "queues"), v, l.Queues, (*QueueStats).appendText)
}

func (q *QueueStats) appendText(b []byte, v Version) []byte {
	b = appendPort(appendKey(append(b, '{'), ',', "port"), q.Port)
	b = appendQueue(appendKey(b, ',', "queue"), q.Queue)
	b = appendDec(appendKey(b, ',', "tx_bytes"), q.TxBytes)
	b = appendDec(appendKey(b, ',', "tx_packets"), q.TxPackets)
	b = appendDec(appendKey(b, ',', "tx_errors"), q.TxErrors)
	return append(appendDuration(b, v, q.DurationSec, q.DurationNsec), '}')
}

func (l *QueueStatsList) merge(next multipartBody) bool {
	return mergeList(next, func(n *QueueStatsList) { l.Queues = append(l.Queues, n.Queues...) })
}
