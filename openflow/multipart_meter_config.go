package openflow

// MeterConfigRequest asks for the configuration of a meter. OpenFlow 1.3.
type MeterConfigRequest struct {
	Meter uint32 // MeterAll for all
}

// MeterConfigList is the answer to a MeterConfigRequest.
type MeterConfigList struct{ Meters []MeterConfig }

// MeterConfig is a meter as the switch reports it.
type MeterConfig struct {
	Flags MeterFlags
	Meter uint32
	Bands []Band
}

// meterConfigLen is the length of struct ofp_meter_config before its bands.
const meterConfigLen = 8

// Kind is MultipartMeterConfig.
func (*MeterConfigRequest) Kind() MultipartType { return MultipartMeterConfig }

func (*MeterConfigRequest) isRequest() {}

func (r *MeterConfigRequest) parse(_ Version, body []byte) error {
	r.Meter = be32(body)
	return nil
}

func (r *MeterConfigRequest) append(b []byte, _ Version) ([]byte, error) {
	return appendPad(append32(b, r.Meter), 4), nil
}

func (r *MeterConfigRequest) appendText(b []byte, _ Version) []byte {
	return appendMeter(appendKey(b, ' ', "meter"), r.Meter)
}

// Kind is MultipartMeterConfig.
func (*MeterConfigList) Kind() MultipartType { return MultipartMeterConfig }

func (*MeterConfigList) isReply() {}

func (l *MeterConfigList) parse(_ Version, body []byte) error {
	for len(body) > 0 {
		item, rest, err := cutItem("meter", body, 0, meterConfigLen)
		if err != nil {
			return err
		}
		m := MeterConfig{Flags: MeterFlags(be16(item[2:])), Meter: be32(item[4:])}
		if m.Bands, err = parseBands(item[meterConfigLen:], nil); err != nil {
			return err
		}
		l.Meters = append(l.Meters, m)
		body = rest
	}
	return nil
}

func (l *MeterConfigList) append(b []byte, _ Version) ([]byte, error) {
	for i := range l.Meters {
		m, start := &l.Meters[i], len(b)
		b = append32(append16(append(b, 0, 0), uint16(m.Flags)), m.Meter)
		var err error
		if b, err = appendBands(b, m.Bands); err != nil {
			return b, err
		}
		if err = setLen16(b, start, start); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (l *MeterConfigList) appendText(b []byte, _ Version) []byte {
	b = append(appendKey(b, ' ', "meters"), '[')
	for i := range l.Meters {
		m := &l.Meters[i]
		b = appendFlags(appendKey(append(appendSep(b), '{'), ',', "flags"), uint32(m.Flags), meterFlagNames)
		b = appendMeter(appendKey(b, ',', "meter"), m.Meter)
		b = append(appendBandsText(appendKey(b, ',', "bands"), m.Bands), '}')
	}
	return append(b, ']')
}

func (l *MeterConfigList) merge(next multipartBody) bool {
	n, ok := next.(*MeterConfigList)
	if ok {
		l.Meters = append(l.Meters, n.Meters...)
	}
	return ok
}
