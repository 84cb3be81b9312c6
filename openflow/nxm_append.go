package openflow

// appendNXM appends OXM TLVs as NXM says them. Those that are no fields of the table stay as they
// are.
func appendNXM(b, list []byte) ([]byte, error) {
	for len(list) > 0 {
		o, ok := nextOXM(list)
		if !ok {
			return b, inexpressible(V10, "broken match 0x%x", list)
		}
		f, known := o.basic()
		rest := list[o.size:]
		switch {
		case known && f == FieldVLANVID:
			b, rest, ok = o.appendTCI(b, rest)
		case known && nxmOf(f):
			b, ok = o.appendNXM(b, f)
		default:
			b = append(b, list[:o.size]...)
		}
		if !ok {
			return b, inexpressible(V10, "match %s=%s", oxmName(o), oxmValue(o))
		}
		list = rest
	}
	return b, nil
}

func appendNXMHeader(b []byte, nxm uint32, masked bool, size int) []byte {
	header := nxm>>8<<16 | nxm&0x7f<<9 | uint32(size)
	if masked {
		header = header | oxmHasMask + uint32(size)
	}
	return append32(b, header)
}

// appendNXM appends one TLV, of a field of the table; ok is false if it cannot.
func (o oxm) appendNXM(b []byte, f Field) (_ []byte, ok bool) {
	for i := range nxmFields {
		n := &nxmFields[i]
		switch {
		case n.field != f:
		case n.form == nxmSame && len(o.value) == n.size:
			b = appendNXMHeader(b, n.nxm, o.mask != nil, n.size)
			return append(append(b, o.value...), o.mask...), true
		case n.form == nxmSame || o.mask != nil || len(o.value) != int(oxmFields[f].size):
			return b, false
		case n.form == nxmPort:
			p, err := portTo10(be32(o.value))
			return append16(appendNXMHeader(b, n.nxm, false, 2), p), err == nil
		default:
			return append(appendNXMHeader(b, n.nxm, false, 1), o.value[0]<<2), o.value[0] < 1<<6
		}
	}
	return b, false
}

// appendTCI appends a VLAN id, and the priority if it comes next, as NXM_OF_VLAN_TCI. It returns
// what comes after them.
func (o oxm) appendTCI(b, rest []byte) (_, _ []byte, ok bool) {
	var tci, mask uint16
	switch {
	case len(o.value) != 2:
		return b, rest, false
	case o.isAnyTag():
		tci, mask = VLANPresent, VLANPresent
	case o.mask == nil && be16(o.value)&^vlanVIDMask == VLANPresent:
		tci, mask = be16(o.value), VLANPresent|vlanVIDMask
	case o.mask == nil && be16(o.value) == 0:
		return append16(appendNXMHeader(b, nxmVLANTCI, false, 2), 0), rest, true
	default:
		return b, rest, false
	}
	if p, more := nextOXM(rest); more {
		if f, basic := p.basic(); basic && f == FieldVLANPCP && p.mask == nil && len(p.value) == 1 && p.value[0] < 8 {
			tci, mask = tci|uint16(p.value[0])<<13, mask|tciPCP
			rest = rest[p.size:]
		}
	}
	if mask == 0xffff {
		return append16(appendNXMHeader(b, nxmVLANTCI, false, 2), tci), rest, true
	}
	return append16(append16(appendNXMHeader(b, nxmVLANTCI, true, 2), tci), mask), rest, true
}
