package openflow

// QueueGetConfigRequest asks for the queues of a port.
type QueueGetConfigRequest struct {
	Port uint32 // PortAny, in OpenFlow 1.3, for all
}

// QueueGetConfigReply tells the queues of a port.
type QueueGetConfigReply struct {
	Port   uint32
	Queues []Queue
}

// Queue is a queue of a port (struct ofp_packet_queue).
type Queue struct {
	ID         uint32
	Port       uint32 // OpenFlow 1.3
	Properties []QueueProperty
}

// Type is TypeQueueGetConfigRequest.
func (m *QueueGetConfigRequest) Type() Type { return TypeQueueGetConfigRequest }

// Parse reads the port.
func (m *QueueGetConfigRequest) Parse(v Version, body []byte) error {
	if err := checkLen(TypeQueueGetConfigRequest, v, body); err != nil {
		return err
	}
	m.Port = parsePortNumber(v, body)
	return nil
}

// Append writes the port and its pad.
func (m *QueueGetConfigRequest) Append(b []byte, v Version) ([]byte, error) {
	b, err := appendPortNumber(b, v, m.Port)
	if v == V10 {
		return appendPad(b, 2), err
	}
	return appendPad(b, 4), err
}

// AppendText prints the port.
func (m *QueueGetConfigRequest) AppendText(b []byte, _ Version) []byte {
	return appendPort(appendKey(b, ' ', "port"), m.Port)
}

// Type is TypeQueueGetConfigReply.
func (m *QueueGetConfigReply) Type() Type { return TypeQueueGetConfigReply }

// Parse reads the port and its queues, each with its length.
func (m *QueueGetConfigReply) Parse(v Version, body []byte) error {
	if err := checkLen(TypeQueueGetConfigReply, v, body); err != nil {
		return err
	}
	m.Port, m.Queues = parsePortNumber(v, body), m.Queues[:0]
	for rest := body[8:]; len(rest) > 0; {
		var q Queue
		var err error
		if rest, err = q.parse(v, rest); err != nil {
			return err
		}
		m.Queues = append(m.Queues, q)
	}
	return nil
}

// Append writes the port and its queues.
func (m *QueueGetConfigReply) Append(b []byte, v Version) ([]byte, error) {
	b, err := appendPaddedPort(b, v, m.Port)
	if err != nil {
		return b, err
	}
	return appendEach(b, v, m.Queues, (*Queue).append)
}

// AppendText prints the fields by their names in the specification.
func (m *QueueGetConfigReply) AppendText(b []byte, v Version) []byte {
	b = appendPort(appendKey(b, ' ', "port"), m.Port)
	return appendListText(appendKey(b, ' ', "queues"), v, m.Queues, (*Queue).appendText)
}

// parse reads the queue at the beginning of b and returns what comes after it. In OpenFlow 1.0 the
// length follows the id, in 1.3 the port stands between.
func (q *Queue) parse(v Version, b []byte) ([]byte, error) {
	head, at := 16, 8
	if v == V10 {
		head, at = 8, 4
	}
	item, rest, err := cutItem("queue", b, at, head)
	if err != nil {
		return nil, err
	}
	*q = Queue{ID: be32(item)}
	if v != V10 {
		q.Port = be32(item[4:])
	}
	for item = item[head:]; len(item) > 0; {
		var p QueueProperty
		if item, err = p.parse(item); err != nil {
			return nil, err
		}
		q.Properties = append(q.Properties, p)
	}
	return rest, nil
}

func (q *Queue) append(b []byte, v Version) ([]byte, error) {
	start, at := len(b), 8
	b = append32(b, q.ID)
	if v == V10 {
		at = 4
		b = appendPad(b, 4)
	} else {
		b = appendPad(append32(b, q.Port), 8)
	}
	b, err := appendEach(b, v, q.Properties, (*QueueProperty).append)
	if err != nil {
		return b, err
	}
	return b, setLen16(b, start, start+at)
}

func (q *Queue) appendText(b []byte, v Version) []byte {
	b = appendDec(appendKey(append(b, '{'), ',', "queue"), q.ID)
	if v != V10 {
		b = appendPort(appendKey(b, ',', "port"), q.Port)
	}
	return append(appendListText(appendKey(b, ',', "properties"), v, q.Properties, (*QueueProperty).appendText), '}')
}
