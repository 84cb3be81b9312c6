package openflow

// MeterFeatures is the answer to a MeterFeaturesRequest. OpenFlow 1.3.
type MeterFeatures struct {
	MaxMeters    uint32
	BandTypes    uint32 // bits 1<<type of band
	Capabilities uint32 // bits of the flags of meters
	MaxBands     uint8  // a meter
	MaxColor     uint8
}

var bandTypeBits = []flagName{{1 << 1, "drop"}, {1 << 2, "dscp_remark"}}

// Kind is MultipartMeterFeatures.
func (*MeterFeatures) Kind() MultipartType { return MultipartMeterFeatures }

func (*MeterFeatures) isReply() {}

func (f *MeterFeatures) parse(_ Version, body []byte) error {
	f.MaxMeters, f.BandTypes, f.Capabilities = be32(body), be32(body[4:]), be32(body[8:])
	f.MaxBands, f.MaxColor = body[12], body[13]
	return nil
}

func (f *MeterFeatures) append(b []byte, _ Version) ([]byte, error) {
	b = append32(append32(append32(b, f.MaxMeters), f.BandTypes), f.Capabilities)
	return append(b, f.MaxBands, f.MaxColor, 0, 0), nil
}

func (f *MeterFeatures) appendText(b []byte, _ Version) []byte {
	b = appendDec(appendKey(b, ' ', "max_meter"), f.MaxMeters)
	b = appendFlags(appendKey(b, ' ', "band_types"), f.BandTypes, bandTypeBits)
	b = appendFlags(appendKey(b, ' ', "capabilities"), f.Capabilities, meterFlagNames)
	b = appendDec(appendKey(b, ' ', "max_bands"), f.MaxBands)
	return appendDec(appendKey(b, ' ', "max_color"), f.MaxColor)
}
