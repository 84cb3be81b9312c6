package openflow

// fieldValue is a value of a field, different for each field and n, that fits its width and its
// prerequisites' meaning.
func fieldValue(f Field, n byte) []byte {
	form := oxmFields[f]
	v := make([]byte, form.size)
	for i := range v {
		v[i] = byte(f)*3 + n + byte(i)*17
	}
	if form.form == formMAC || form.form == formIP {
		v[0] &= 0x3e // no multicast
	}
	for i, left := 0, int(form.size)*8-int(form.bits); i < len(v) && left > 0; i, left = i+1, left-8 {
		v[i] &= 0xff >> min(left, 8)
	}
	switch f {
	case FieldVLANVID:
		v[0] |= 0x10
	case FieldMPLSBOS:
		v[0] = 1
	case FieldInPort, FieldInPhyPort:
		v = []byte{0, 0, 0x12, n}
	case FieldEthType:
		v = []byte{0x88, 0xb5}
	case FieldARPOp:
		v = []byte{0, 2}
	}
	return v
}

// fieldMask is a mask of a field: the upper half of its bits.
func fieldMask(f Field) []byte {
	m := make([]byte, oxmFields[f].size)
	for i := range (len(m) + 1) / 2 {
		m[i] = 0xff
	}
	switch f {
	case FieldVLANVID:
		return []byte{0x10, 0xf0}
	case FieldIPv6FLabel:
		return []byte{0, 0x0f, 0xff, 0}
	case FieldIPv6ExtHdr:
		return []byte{0x01, 0x50}
	}
	return m
}

// prerequisites are the fields that must be matched before f.
func prerequisites(f Field) []byte {
	var b []byte
	ethType := func(hi, lo byte) { b = appendOXM(b, FieldEthType, []byte{hi, lo}, nil) }
	proto := func(p byte) { b = appendOXM(b, FieldIPProto, []byte{p}, nil) }
	switch needs := oxmFields[f].needs; {
	case needs == 0:
	case needs&kindInPort != 0:
		b = appendOXM(b, FieldInPort, []byte{0, 0, 0, 3}, nil)
	case needs&kindTagged != 0:
		b = appendOXM(b, FieldVLANVID, []byte{0x10, 5}, nil)
	case needs&kindIPv4 != 0:
		ethType(0x08, 0x00)
	case needs&kindIPv6 != 0:
		ethType(0x86, 0xdd)
	case needs&kindARP != 0:
		ethType(0x08, 0x06)
	case needs&kindMPLS != 0:
		ethType(0x88, 0x47)
	case needs&kindPBB != 0:
		ethType(0x88, 0xe7)
	case needs&kindTCP != 0:
		ethType(0x08, 0x00)
		proto(protoTCP)
	case needs&kindUDP != 0:
		ethType(0x08, 0x00)
		proto(protoUDP)
	case needs&kindSCTP != 0:
		ethType(0x08, 0x00)
		proto(protoSCTP)
	case needs&kindICMPv4 != 0:
		ethType(0x08, 0x00)
		proto(protoICMP)
	case needs&kindICMPv6 != 0:
		ethType(0x86, 0xdd)
		proto(protoICMPv6)
	default:
		ethType(0x86, 0xdd)
		proto(protoICMPv6)
		icmp := byte(icmpv6Solicit)
		if needs == kindAdvertise {
			icmp = icmpv6Advertise
		}
		b = appendOXM(b, FieldICMPv6Type, []byte{icmp}, nil)
	}
	return b
}

// fieldSamples match every field, plain and with a mask, each in a message of its own; in OpenFlow
// 1.0 those it has.
func fieldSamples() []sample {
	var all []sample
	for f := range Field(numFields) {
		match := appendOXM(prerequisites(f), f, fieldValue(f, 2), nil)
		all = append(all, only13("match-"+f.String(), flowWith(match)))
		if oxmFields[f].maskable {
			value, mask := fieldValue(f, 3), fieldMask(f)
			for i := range value {
				value[i] &= mask[i]
			}
			match = appendOXM(prerequisites(f), f, value, mask)
			all = append(all, only13("match-"+f.String()+"-mask", flowWith(match)))
		}
	}
	register := append([]byte{0, 1, 0, 4}, 0x11, 0x22, 0x33, 0x44) // NXM_NX_REG0
	all = append(all, only13("match-nicira-register", flowWith(register)),
		only13("match-vlan_vid-none", flowWith(appendOXM(nil, FieldVLANVID, []byte{0, 0}, nil))),
		only13("match-vlan_vid-any", flowWith(appendOXM(nil, FieldVLANVID, []byte{0x10, 0}, []byte{0x10, 0}))))
	for _, f := range []Field{
		FieldInPort, FieldEthDst, FieldEthSrc, FieldEthType, FieldVLANVID, FieldVLANPCP, FieldIPDSCP, FieldIPProto, FieldIPv4Src,
		FieldIPv4Dst, FieldTCPSrc, FieldTCPDst, FieldUDPSrc, FieldUDPDst, FieldICMPv4Type, FieldICMPv4Code, FieldARPOp,
		FieldARPSPA, FieldARPTPA,
	} {
		match := appendOXM(prerequisites(f), f, fieldValue(f, 4), nil)
		all = append(all, sample{"1.0/match-" + f.String(), V10, flowWith(match)})
	}
	subnet := appendOXM(prerequisites(FieldIPv4Src), FieldIPv4Src, []byte{10, 20, 0, 0}, []byte{255, 255, 128, 0})
	return append(all,
		sample{"1.0/match-ipv4_src-mask", V10, flowWith(subnet)},
		sample{"1.0/match-vlan_vid-none", V10, flowWith(appendOXM(nil, FieldVLANVID, []byte{0, 0}, nil))},
	)
}
