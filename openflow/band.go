package openflow

// BandType is what a meter does with packets above a band's rate (enum ofp_meter_band_type).
type BandType uint16

// The types of bands.
const (
	BandDrop         BandType = 1
	BandDSCPRemark   BandType = 2
	BandExperimenter BandType = 0xffff
)

// String is the type in text: "drop".
func (t BandType) String() string {
	switch t {
	case BandDrop:
		return "drop"
	case BandDSCPRemark:
		return "dscp_remark"
	case BandExperimenter:
		return "experimenter"
	}
	return string(appendDec(nil, t))
}

// Band is one rate of a meter.
type Band struct {
	Type         BandType
	Rate         uint32 // kbit/s or packets/s, as the meter's flags say
	Burst        uint32 // kbit or packets
	PrecLevel    uint8  // of BandDSCPRemark: by how much the drop precedence grows
	Experimenter uint32 // of BandExperimenter
	Data         []byte // of BandExperimenter, after the id
}

const bandLen = 16 // of every band but an experimenter's, which may be longer

// parseBands reads a list of bands that fills b and appends it to dst.
func parseBands(b []byte, dst []Band) ([]Band, error) {
	for len(b) > 0 {
		if len(b) < bandLen {
			return dst, refuse(BadRequestBadLen, "%d bytes after the last meter band", len(b))
		}
		n := int(be16(b[2:]))
		if n < bandLen || n%8 != 0 || n > len(b) {
			return dst, refuse(BadRequestBadLen, "meter band of %d bytes in %d", n, len(b))
		}
		band := Band{Type: BandType(be16(b)), Rate: be32(b[4:]), Burst: be32(b[8:])}
		switch band.Type {
		case BandDrop:
		case BandDSCPRemark:
			band.PrecLevel = b[12]
		case BandExperimenter:
			band.Experimenter, band.Data = be32(b[12:]), view(b, bandLen, n)
		default:
			return dst, refuse(MeterModFailedBadBand, "meter band of type %d", band.Type)
		}
		if n != bandLen && band.Type != BandExperimenter {
			return dst, refuse(BadRequestBadLen, "meter band %s of %d bytes, not %d", band.Type, n, bandLen)
		}
		dst = append(dst, band)
		b = b[n:]
	}
	return dst, nil
}

// appendBands appends a list of bands.
func appendBands(b []byte, v Version, list []Band) ([]byte, error) {
	return appendItems(b, v, list, 2, (*Band).append)
}

// append writes a band with 0 for its length.
func (k *Band) append(b []byte, _ Version) ([]byte, error) {
	b = append32(append32(append(append16(b, uint16(k.Type)), 0, 0), k.Rate), k.Burst)
	switch k.Type {
	case BandDSCPRemark:
		return append(b, k.PrecLevel, 0, 0, 0), nil
	case BandExperimenter:
		b = append(append32(b, k.Experimenter), k.Data...)
		return appendPad(b, padTo8(len(k.Data))), nil
	}
	return appendPad(b, 4), nil
}

// appendText appends a band: {type=drop,rate=1000,burst=100}.
func (k *Band) appendText(b []byte, _ Version) []byte {
	b = append(appendKey(append(b, '{'), ',', "type"), k.Type.String()...)
	b = appendDec(appendKey(b, ',', "rate"), k.Rate)
	b = appendDec(appendKey(b, ',', "burst"), k.Burst)
	switch k.Type {
	case BandDSCPRemark:
		b = appendDec(appendKey(b, ',', "prec_level"), k.PrecLevel)
	case BandExperimenter:
		b = appendHexN(appendKey(b, ',', "experimenter"), uint64(k.Experimenter), 8)
		b = appendHexBytes(appendKey(b, ',', "data"), k.Data)
	}
	return append(b, '}')
}
