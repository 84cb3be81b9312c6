package openflow

import (
	"bytes"
	"encoding/binary"
)

// appendExtra appends what the 40 bytes say besides what they mean, to the text of a match: the
// wildcards, if they are written otherwise than for these TLVs alone, or all of them, if a field
// that does not count has a value.
func (m *match10) appendExtra(b, list []byte) []byte {
	if !m.means(list) {
		return b
	}
	var a, c [match10Len]byte
	fixed, _ := m.append(a[:0], list)
	meant, err := new(match10).append(c[:0], list)
	switch {
	case err != nil || !bytes.Equal(fixed[4:], meant[4:]):
		return appendHexBytes(appendKey(b, ',', "ofp_match"), fixed)
	case !bytes.Equal(fixed, meant):
		return appendHexN(appendKey(b, ',', "wildcards"), uint64(be32(fixed)), 8)
	}
	return b
}

// append appends a match with these TLVs: as it came, if it still is that one.
func (m *match10) append(b, list []byte) ([]byte, error) {
	start := len(b)
	if m.means(list) {
		b = append(b, m.fixed...)
		b[start+at10Pad1], b[start+at10Pad2], b[start+at10Pad2+1] = 0, 0, 0
		return b, nil
	}
	b = append(b, zeros[:match10Len]...)
	f := b[start:]
	w := uint32(wild10All)
	anyTag, err := setAll10(f, &w, list)
	switch {
	case err != nil:
		return b, err
	case anyTag && w&wild10PCP != 0:
		return b, inexpressible(V10, "match vlan_vid=any without vlan_pcp")
	case be16(f[at10DLType:]) == etherTypeIPv6 && w&(wild10TOS|wild10Proto) != wild10TOS|wild10Proto:
		return b, inexpressible(V10, "match of fields of IPv6")
	}
	binary.BigEndian.PutUint32(f, w)
	return b, nil
}

// setAll10 writes the fields of a match. OpenFlow 1.0 can say that there is any tag only with a
// priority: whether that was asked for is returned.
func setAll10(f []byte, w *uint32, list []byte) (anyTag bool, err error) {
	for len(list) > 0 {
		o, ok := nextOXM(list)
		if !ok {
			return false, inexpressible(V10, "broken match 0x%x", list)
		}
		list = list[o.size:]
		field, known := o.basic()
		switch {
		case o.matchesAll():
		case known && field == FieldVLANVID && o.isAnyTag():
			anyTag = true
		case !known || len(o.value) != int(oxmFields[field].size) || !set10(f, w, field, &o):
			return false, inexpressible(V10, "match %s=%s", oxmName(o), oxmValue(o))
		}
	}
	return anyTag, nil
}

// isAnyTag reports whether the TLV, of FieldVLANVID, is of packets with any tag.
func (o oxm) isAnyTag() bool {
	return len(o.mask) == 2 && be16(o.value) == VLANPresent && be16(o.mask) == VLANPresent
}

// places10 are the fields that OpenFlow 1.0 has as they are: the bit that wildcards them and where
// they stand.
var places10 = [numFields]struct {
	wild uint32
	at   uint8
}{
	FieldEthDst:     {wild10DLDst, at10DLDst},
	FieldEthSrc:     {wild10DLSrc, at10DLSrc},
	FieldEthType:    {wild10DLType, at10DLType},
	FieldVLANPCP:    {wild10PCP, at10PCP},
	FieldIPProto:    {wild10Proto, at10Proto},
	FieldTCPSrc:     {wild10TPSrc, at10TPSrc},
	FieldTCPDst:     {wild10TPDst, at10TPDst},
	FieldUDPSrc:     {wild10TPSrc, at10TPSrc},
	FieldUDPDst:     {wild10TPDst, at10TPDst},
	FieldSCTPSrc:    {wild10TPSrc, at10TPSrc},
	FieldSCTPDst:    {wild10TPDst, at10TPDst},
	FieldICMPv4Type: {wild10TPSrc, at10TPSrc + 1},
	FieldICMPv4Code: {wild10TPDst, at10TPDst + 1},
}

// set10 writes one field into a match of OpenFlow 1.0 and takes it from the wildcards w; false if
// it cannot say it.
func set10(f []byte, w *uint32, field Field, o *oxm) bool {
	switch field {
	case FieldVLANVID:
		return setVLAN10(f, w, o)
	case FieldIPv4Src, FieldARPSPA:
		return setAddr10(f[at10NWSrc:], w, shift10Src, o)
	case FieldIPv4Dst, FieldARPTPA:
		return setAddr10(f[at10NWDst:], w, shift10Dst, o)
	}
	if o.mask != nil && !isOnes(o.mask) {
		return false
	}
	switch field {
	case FieldInPort:
		p, err := portTo10(be32(o.value))
		binary.BigEndian.PutUint16(f[at10InPort:], p)
		*w &^= wild10InPort
		return err == nil
	case FieldIPDSCP:
		f[at10TOS] = o.value[0] << 2
		*w &^= wild10TOS
		return true
	case FieldARPOp:
		f[at10Proto] = o.value[1]
		*w &^= wild10Proto
		return o.value[0] == 0
	}
	place := &places10[field]
	copy(f[place.at:], o.value)
	*w &^= place.wild
	return place.wild != 0
}

// setVLAN10 writes an id, or untagged.
func setVLAN10(f []byte, w *uint32, o *oxm) bool {
	v := be16(o.value)
	mask := uint16(0xffff)
	if o.mask != nil {
		mask = be16(o.mask)
	}
	switch {
	case v&VLANPresent == 0 && mask&VLANPresent != 0 && v&mask == 0:
		v = vlan10None
		*w &^= wild10PCP // it counts for nothing, and Open vSwitch writes it so: controllers compare wildcards
	case v&VLANPresent != 0 && mask&(VLANPresent|vlanVIDMask) == VLANPresent|vlanVIDMask:
		v &= vlanVIDMask
	default:
		return false
	}
	f[at10VLAN], f[at10VLAN+1] = uint8(v>>8), uint8(v)
	*w &^= wild10VLAN
	return true
}

// setAddr10 writes an address whose mask is a prefix.
func setAddr10(at []byte, w *uint32, shift int, o *oxm) bool {
	wild := 0
	if o.mask != nil {
		n, ok := prefixLen(o.mask)
		if !ok {
			return false
		}
		wild = 32 - n
	}
	copy(at, o.value)
	*w = *w&^(63<<shift) | uint32(wild)<<shift
	return true
}
