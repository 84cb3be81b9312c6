package openflow

// NXM is how Nicira's extensions write a match in OpenFlow 1.0: TLVs with the same header as OXM,
// of the classes 0x0000 and 0x0001. The fields and their sizes are those of Open vSwitch's
// include/openvswitch/meta-flow.h.
const (
	nxmVLANTCI = 0x0000_04 // NXM_OF_VLAN_TCI: id, present bit and priority in one
	tciPCP     = 0xe000
)

// nxmForm is how the value of an NXM field becomes that of an OXM field.
type nxmForm uint8

const (
	nxmSame nxmForm = iota
	nxmPort         // 16 bits, as OpenFlow 1.0 numbers ports
	nxmTOS          // a byte with the DSCP in its high six bits
)

// nxmFields are the NXM fields, as class and number, that are fields of OXM.
var nxmFields = []struct {
	nxm   uint32 // class << 8 | number
	field Field
	size  int
	form  nxmForm
}{
	{0x0000_00, FieldInPort, 2, nxmPort}, {0x0000_01, FieldEthDst, 6, nxmSame}, {0x0000_02, FieldEthSrc, 6, nxmSame},
	{0x0000_03, FieldEthType, 2, nxmSame}, {0x0000_05, FieldIPDSCP, 1, nxmTOS}, {0x0000_06, FieldIPProto, 1, nxmSame},
	{0x0000_07, FieldIPv4Src, 4, nxmSame}, {0x0000_08, FieldIPv4Dst, 4, nxmSame}, {0x0000_09, FieldTCPSrc, 2, nxmSame},
	{0x0000_0a, FieldTCPDst, 2, nxmSame}, {0x0000_0b, FieldUDPSrc, 2, nxmSame}, {0x0000_0c, FieldUDPDst, 2, nxmSame},
	{0x0000_0d, FieldICMPv4Type, 1, nxmSame}, {0x0000_0e, FieldICMPv4Code, 1, nxmSame}, {0x0000_0f, FieldARPOp, 2, nxmSame},
	{0x0000_10, FieldARPSPA, 4, nxmSame}, {0x0000_11, FieldARPTPA, 4, nxmSame}, {0x0001_10, FieldTunnelID, 8, nxmSame},
	{0x0001_11, FieldARPSHA, 6, nxmSame}, {0x0001_12, FieldARPTHA, 6, nxmSame}, {0x0001_13, FieldIPv6Src, 16, nxmSame},
	{0x0001_14, FieldIPv6Dst, 16, nxmSame}, {0x0001_15, FieldICMPv6Type, 1, nxmSame}, {0x0001_16, FieldICMPv6Code, 1, nxmSame},
	{0x0001_17, FieldIPv6NDTarget, 16, nxmSame}, {0x0001_18, FieldIPv6NDSLL, 6, nxmSame}, {0x0001_19, FieldIPv6NDTLL, 6, nxmSame},
	{0x0001_1b, FieldIPv6FLabel, 4, nxmSame}, {0x0001_1c, FieldIPECN, 1, nxmSame},
}

// appendFromNXM appends NXM TLVs as OXM TLVs. Those that OXM has no field for stay as they are.
func appendFromNXM(b, list []byte) ([]byte, error) {
	for len(list) > 0 {
		o, ok := nextOXM(list)
		if !ok {
			return b, refuse(BadMatchBadLen, "match field 0x%x does not fit into the %d bytes left",
				firstBytes(list, 4), len(list))
		}
		if f, basic := o.basic(); basic && nxmOf(f) {
			return b, refuse(BadMatchBadField, "match field %s as OXM in an NXM match", f)
		}
		next, ok := o.appendFromNXM(b)
		if !ok {
			next = append(b, list[:o.size]...)
		}
		b, list = next, list[o.size:]
	}
	return b, nil
}

// nxmOf reports whether NXM has a way to say a field.
func nxmOf(f Field) bool {
	if f == FieldVLANVID || f == FieldVLANPCP {
		return true
	}
	for i := range nxmFields {
		if nxmFields[i].field == f {
			return true
		}
	}
	return false
}

// appendFromNXM appends one TLV as OXM; ok is false if it cannot.
func (o oxm) appendFromNXM(b []byte) (_ []byte, ok bool) {
	number := o.header >> 9
	number = number>>7<<8 | number&0x7f
	if number == nxmVLANTCI {
		return o.appendFromTCI(b)
	}
	for i := range nxmFields {
		n := &nxmFields[i]
		switch {
		case n.nxm != number || len(o.value) != n.size:
		case n.form == nxmSame:
			return appendOXM(b, n.field, o.value, o.mask), true
		case o.mask != nil:
			return b, false
		case n.form == nxmPort:
			return appendOXM(b, n.field, append32(nil, portFrom10(be16(o.value))), nil), true
		case o.value[0]&3 == 0:
			return appendOXM(b, n.field, []byte{o.value[0] >> 2}, nil), true
		}
	}
	return b, false
}

// appendFromTCI appends NXM_OF_VLAN_TCI as VLAN id and priority, if it can be expressed by
// them: untagged, any tag, an id, or one of both with a priority.
func (o oxm) appendFromTCI(b []byte) (_ []byte, ok bool) {
	if len(o.value) != 2 {
		return b, false
	}
	tci, mask := be16(o.value), uint16(0xffff)
	if o.mask != nil {
		mask = be16(o.mask)
	}
	if tci == 0 && o.mask == nil {
		return appendOXM(b, FieldVLANVID, zeros[:2], nil), true
	}
	if tci&VLANPresent == 0 || tci&^mask != 0 || mask == 0xffff && o.mask != nil {
		return b, false
	}
	any := []byte{uint8(VLANPresent >> 8), 0}
	switch mask &^ tciPCP {
	case VLANPresent:
		b = appendOXM(b, FieldVLANVID, any, any)
	case VLANPresent | vlanVIDMask:
		b = appendOXM(b, FieldVLANVID, append16(nil, tci&^tciPCP), nil)
	default:
		return b, false
	}
	switch mask & tciPCP {
	case tciPCP:
		b = appendOXM(b, FieldVLANPCP, []byte{uint8(tci >> 13)}, nil)
	case 0:
	default:
		return b, false
	}
	return b, true
}
