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

func (l *MeterStatsList) parse(_ Version, body []byte) error {
	for len(body) > 0 {
		item, rest, err := cutItem("meter", body, 4, meterStatsLen)
		if err != nil {
			return err
		}
		if (len(item)-meterStatsLen)%bandCounterLen != 0 {
			return refuse(BadRequestBadLen, "meter of %d bytes, not 40 and a multiple of 16", len(item))
		}
		m := MeterStats{
			Meter: be32(item), Flows: be32(item[12:]), PacketsIn: be64(item[16:]), BytesIn: be64(item[24:]),
			DurationSec: be32(item[32:]), DurationNsec: be32(item[36:]),
		}
		for c := item[meterStatsLen:]; len(c) > 0; c = c[bandCounterLen:] {
			m.Bands = append(m.Bands, BandCounter{Packets: be64(c), Bytes: be64(c[8:])})
		}
		l.Meters = append(l.Meters, m)
		body = rest
	}
	return nil
}

func (l *MeterStatsList) append(b []byte, _ Version) ([]byte, error) {
	for i := range l.Meters {
		m, start := &l.Meters[i], len(b)
		b = append32(appendPad(append32(b, m.Meter), 8), m.Flows)
		b = append64(append64(b, m.PacketsIn), m.BytesIn)
		b = append32(append32(b, m.DurationSec), m.DurationNsec)
		for _, c := range m.Bands {
			b = append64(append64(b, c.Packets), c.Bytes)
		}
		if err := setLen16(b, start, start+4); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (l *MeterStatsList) appendText(b []byte, _ Version) []byte {
	b = append(appendKey(b, ' ', "meters"), '[')
	for i := range l.Meters {
		m := &l.Meters[i]
		b = appendMeter(appendKey(append(appendSep(b), '{'), ',', "meter"), m.Meter)
		b = appendDec(appendKey(b, ',', "flow_count"), m.Flows)
		b = appendDec(appendKey(b, ',', "packet_in_count"), m.PacketsIn)
		b = appendDec(appendKey(b, ',', "byte_in_count"), m.BytesIn)
		b = appendDec(appendKey(b, ',', "duration_sec"), m.DurationSec)
		b = appendDec(appendKey(b, ',', "duration_nsec"), m.DurationNsec)
		b = append(appendKey(b, ',', "band_stats"), '[')
		for _, c := range m.Bands {
			b = appendDec(appendKey(append(appendSep(b), '{'), ',', "packet_band_count"), c.Packets)
			b = append(appendDec(appendKey(b, ',', "byte_band_count"), c.Bytes), '}')
		}
		b = append(b, ']', '}')
	}
	return append(b, ']')
}

func (l *MeterStatsList) merge(next multipartBody) bool {
	n, ok := next.(*MeterStatsList)
	if ok {
		l.Meters = append(l.Meters, n.Meters...)
	}
	return ok
}
