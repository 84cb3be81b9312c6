package openflow

// PortStatsRequest asks for the counters of a port.
type PortStatsRequest struct {
	Port uint32 // PortAny for all
}

// PortStatsList is the answer to a PortStatsRequest.
type PortStatsList struct{ Ports []PortStats }

// PortStats are the counters of a port; one that the switch does not count is all ones.
type PortStats struct {
	Port         uint32
	RxPackets    uint64
	TxPackets    uint64
	RxBytes      uint64
	TxBytes      uint64
	RxDropped    uint64
	TxDropped    uint64
	RxErrors     uint64
	TxErrors     uint64
	RxFrameErr   uint64
	RxOverErr    uint64
	RxCRCErr     uint64
	Collisions   uint64
	DurationSec  uint32 // OpenFlow 1.3
	DurationNsec uint32 // OpenFlow 1.3
}

// counters are the twelve counters in their order on the wire.
func (p *PortStats) counters() [12]*uint64 {
	return [12]*uint64{
		&p.RxPackets, &p.TxPackets, &p.RxBytes, &p.TxBytes, &p.RxDropped, &p.TxDropped, &p.RxErrors, &p.TxErrors,
		&p.RxFrameErr, &p.RxOverErr, &p.RxCRCErr, &p.Collisions,
	}
}

var portCounterNames = [12]string{
	"rx_packets", "tx_packets", "rx_bytes", "tx_bytes", "rx_dropped", "tx_dropped", "rx_errors", "tx_errors",
	"rx_frame_err", "rx_over_err", "rx_crc_err", "collisions",
}

// Kind is MultipartPortStats.
func (*PortStatsRequest) Kind() MultipartType { return MultipartPortStats }

func (*PortStatsRequest) isRequest() {}

func (r *PortStatsRequest) parse(v Version, body []byte) error {
	r.Port = parsePortNumber(v, body)
	return nil
}

func (r *PortStatsRequest) append(b []byte, v Version) ([]byte, error) {
	return appendPaddedPort(b, v, r.Port)
}

func (r *PortStatsRequest) appendText(b []byte, _ Version) []byte {
	return appendPort(appendKey(b, ' ', "port"), r.Port)
}

// Kind is MultipartPortStats.
func (*PortStatsList) Kind() MultipartType { return MultipartPortStats }

func (*PortStatsList) isReply() {}

func (l *PortStatsList) parse(v Version, body []byte) error {
	for len(body) > 0 {
		p := PortStats{Port: parsePortNumber(v, body)}
		for i, c := range p.counters() {
			*c = be64(body[8+8*i:])
		}
		body = body[104:]
		if v != V10 {
			p.DurationSec, p.DurationNsec = be32(body), be32(body[4:])
			body = body[8:]
		}
		l.Ports = append(l.Ports, p)
	}
	return nil
}

func (l *PortStatsList) append(b []byte, v Version) ([]byte, error) {
	return appendEach(b, v, l.Ports, (*PortStats).append)
}

func (p *PortStats) append(b []byte, v Version) ([]byte, error) {
	b, err := appendPaddedPort(b, v, p.Port)
	for _, c := range p.counters() {
		b = append64(b, *c)
	}
	if v != V10 {
		b = append32(append32(b, p.DurationSec), p.DurationNsec)
	}
	return b, err
}

// appendPaddedPort writes a port's number and fills up to 8 bytes.
func appendPaddedPort(b []byte, v Version, port uint32) ([]byte, error) {
	start := len(b)
	b, err := appendPortNumber(b, v, port)
	return appendPad(b, 8-(len(b)-start)), err
}

func (l *PortStatsList) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "ports"), v, l.Ports, (*PortStats).appendText)
}

func (p *PortStats) appendText(b []byte, v Version) []byte {
	b = appendPort(appendKey(append(b, '{'), ',', "port"), p.Port)
	for j, c := range p.counters() {
		b = appendDec(appendKey(b, ',', portCounterNames[j]), *c)
	}
	return append(appendDuration(b, v, p.DurationSec, p.DurationNsec), '}')
}

// appendDuration appends how long something has been counted, which OpenFlow 1.0 does not tell.
func appendDuration(b []byte, v Version, sec, nsec uint32) []byte {
	if v == V10 {
		return b
	}
	b = appendDec(appendKey(b, ',', "duration_sec"), sec)
	return appendDec(appendKey(b, ',', "duration_nsec"), nsec)
}

func (l *PortStatsList) merge(next multipartBody) bool {
	return mergeList(next, func(n *PortStatsList) { l.Ports = append(l.Ports, n.Ports...) })
}
