package openflow

// MeterRequest asks for the counters of a meter. OpenFlow 1.3.
type MeterRequest struct {
	Meter uint32 // MeterAll for all
}

// MeterStatsList is the answer to a MeterRequest.
type MeterStatsList struct{ Meters []MeterStats }

// MeterStats are the counters of a meter.
type MeterStats struct {
	Meter        uint32
	Flows        uint32 // flow entries that use it
	PacketsIn    uint64
	BytesIn      uint64
	DurationSec  uint32
	DurationNsec uint32
	Bands        []BandCounter
}

// BandCounter are the counters of a band of a meter.
type BandCounter struct {
	Packets uint64
	Bytes   uint64
}

// Lengths of struct ofp_meter_stats before its bands, and of struct ofp_meter_band_stats.
const (
	meterStatsLen  = 40
	bandCounterLen = 16
)

// Kind is MultipartMeter.
func (*MeterRequest) Kind() MultipartType { return MultipartMeter }

func (*MeterRequest) isRequest() {}

func (r *MeterRequest) parse(_ Version, body []byte) error {
	r.Meter = be32(body)
	return nil
}

func (r *MeterRequest) append(b []byte, _ Version) ([]byte, error) {
	return appendPad(append32(b, r.Meter), 4), nil
}

func (r *MeterRequest) appendText(b []byte, _ Version) []byte {
	return appendMeter(appendKey(b, ' ', "meter"), r.Meter)
}

// Kind is MultipartMeter.
func (*MeterStatsList) Kind() MultipartType { return MultipartMeter }

func (*MeterStatsList) isReply() {}

func (l *MeterStatsList) parse(_ Version, body []byte) (err error) {
	l.Meters, err = parseItems(l.Meters, "meter", body, 4, meterStatsLen, (*MeterStats).parse)
	return err
}

func (m *MeterStats) parse(item []byte) error {
	if (len(item)-meterStatsLen)%bandCounterLen != 0 {
		return refuse(BadRequestBadLen, "meter of %d bytes, not 40 and a multiple of 16", len(item))
	}
	m.Meter, m.Flows = be32(item), be32(item[12:])
	m.PacketsIn, m.BytesIn = be64(item[16:]), be64(item[24:])
	m.DurationSec, m.DurationNsec = be32(item[32:]), be32(item[36:])
	for c := item[meterStatsLen:]; len(c) > 0; c = c[bandCounterLen:] {
		m.Bands = append(m.Bands, BandCounter{Packets: be64(c), Bytes: be64(c[8:])})
	}
	return nil
}

func (l *MeterStatsList) append(b []byte, v Version) ([]byte, error) {
	return appendItems(b, v, l.Meters, 4, (*MeterStats).append)
}

// append writes the counters of a meter with 0 for their length.
func (m *MeterStats) append(b []byte, _ Version) ([]byte, error) {
	b = append32(appendPad(append32(b, m.Meter), 8), m.Flows)
	b = append64(append64(b, m.PacketsIn), m.BytesIn)
	b = append32(append32(b, m.DurationSec), m.DurationNsec)
	for _, c := range m.Bands {
		b = append64(append64(b, c.Packets), c.Bytes)
	}
	return b, nil
}

func (l *MeterStatsList) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "meters"), v, l.Meters, (*MeterStats).appendText)
}

func (m *MeterStats) appendText(b []byte, v Version) []byte {
	b = appendMeter(appendKey(append(b, '{'), ',', "meter"), m.Meter)
	b = appendDec(appendKey(b, ',', "flow_count"), m.Flows)
	b = appendDec(appendKey(b, ',', "packet_in_count"), m.PacketsIn)
	b = appendDec(appendKey(b, ',', "byte_in_count"), m.BytesIn)
	b = appendDec(appendKey(b, ',', "duration_sec"), m.DurationSec)
	b = appendDec(appendKey(b, ',', "duration_nsec"), m.DurationNsec)
	return append(appendListText(appendKey(b, ',', "band_stats"), v, m.Bands, (*BandCounter).appendText), '}')
}

func (c *BandCounter) appendText(b []byte, _ Version) []byte {
	b = appendDec(appendKey(append(b, '{'), ',', "packet_band_count"), c.Packets)
	return append(appendDec(appendKey(b, ',', "byte_band_count"), c.Bytes), '}')
}

func (l *MeterStatsList) merge(next multipartBody) bool {
	return mergeList(next, func(n *MeterStatsList) { l.Meters = append(l.Meters, n.Meters...) })
}
