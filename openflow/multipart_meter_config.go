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

func (l *MeterConfigList) parse(_ Version, body []byte) (err error) {
	l.Meters, err = parseItems(l.Meters, "meter", body, 0, meterConfigLen, (*MeterConfig).parse)
	return err
}

func (m *MeterConfig) parse(item []byte) (err error) {
	m.Flags, m.Meter = MeterFlags(be16(item[2:])), be32(item[4:])
	m.Bands, err = parseBands(item[meterConfigLen:], nil)
	return err
}

func (l *MeterConfigList) append(b []byte, v Version) ([]byte, error) {
	return appendItems(b, v, l.Meters, 0, (*MeterConfig).append)
}

// append writes a meter with 0 for its length.
func (m *MeterConfig) append(b []byte, v Version) ([]byte, error) {
	return appendBands(append32(append16(append(b, 0, 0), uint16(m.Flags)), m.Meter), v, m.Bands)
}

func (l *MeterConfigList) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "meters"), v, l.Meters, (*MeterConfig).appendText)
}

func (m *MeterConfig) appendText(b []byte, v Version) []byte {
	b = appendFlags(appendKey(append(b, '{'), ',', "flags"), uint32(m.Flags), meterFlagNames)
	b = appendMeter(appendKey(b, ',', "meter"), m.Meter)
	return append(appendListText(appendKey(b, ',', "bands"), v, m.Bands, (*Band).appendText), '}')
}

func (l *MeterConfigList) merge(next multipartBody) bool {
	return mergeList(next, func(n *MeterConfigList) { l.Meters = append(l.Meters, n.Meters...) })
}
