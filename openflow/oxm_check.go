package openflow

// checkOXM checks the TLVs of a match. Their structure always counts: lengths, and no field twice.
// In what a controller asks for (report false) the meaning counts too: known fields, masks, ranges
// of values, and prerequisites, which come before the fields that need them. What a switch reports
// of itself is taken as it is.
func checkOXM(b []byte, report bool) error {
	var seen uint64
	have := kindAny
	if report {
		have = ^packetKind(0)
	}
	others := 0
	for rest := b; len(rest) > 0; {
		if f, n, ok := plainOXM(rest, seen, have); ok {
			seen |= 1 << f
			if givesKind>>f&1 != 0 {
				have |= kindOf(f, rest[oxmHeaderLen:n], have)
			}
			rest = rest[n:]
			continue
		}
		o, ok := nextOXM(rest)
		if !ok {
			return refuse(BadMatchBadLen, "match field 0x%x does not fit into the %d bytes left", firstBytes(rest, 4), len(rest))
		}
		if f, ok := o.basic(); ok {
			if err := checkBasicOXM(o, f, seen, have, report); err != nil {
				return err
			}
			seen |= 1 << f
			have |= kindOf(f, o.value, have)
		} else {
			if err := checkOtherOXM(o, b[:len(b)-len(rest)], others, report); err != nil {
				return err
			}
			others++
		}
		rest = rest[o.size:]
	}
	return nil
}

// plainOXM reports whether b begins with a TLV that nothing is wrong with, of the usual kind: a
// known field, not seen before, whole, without a mask, whose first byte alone tells that the value
// is in range, and whose prerequisite is met. It returns the field and the length of the TLV. It is
// what makes checking fast; whatever it does not know is not refused but looked at again.
func plainOXM(b []byte, seen uint64, have packetKind) (f Field, n int, ok bool) {
	if len(b) <= oxmHeaderLen {
		return 0, 0, false
	}
	header := be32(b)
	i := header>>9 - oxmClassBasic<<7
	if i >= uint32(numFields) {
		return 0, 0, false
	}
	p := &plainOXMs[i]
	n = oxmHeaderLen + int(header&0xff)
	return Field(i), n, header&0x1ff == uint32(p.size) && n <= len(b) && seen>>i&1 == 0 && p.needs&have != 0 &&
		b[oxmHeaderLen]&p.zero == p.one
}

// givesKind is the set of fields whose value says what kind of packet it is.
const givesKind = 1<<FieldInPort | 1<<FieldVLANVID | 1<<FieldEthType | 1<<FieldIPProto | 1<<FieldICMPv6Type

// plainOXMs is what plainOXM needs of oxmFields. The bits zero of the first byte of a value must be
// those of one.
var plainOXMs = func() (list [numFields]struct {
	size      uint16
	needs     packetKind
	zero, one uint8
}) {
	for i := range list {
		f, p := &oxmFields[i], &list[i]
		p.size, p.needs = uint16(f.size), f.needs
		if p.needs == 0 {
			p.needs = kindAny
		}
		switch excess := f.size*8 - f.bits; {
		case Field(i) == FieldVLANVID:
			p.zero, p.one = 0xf0, uint8(VLANPresent>>8)
		case excess > 8:
			p.size = 0xffff // looked at by checkBasicOXM
		default:
			p.zero = ^uint8(0xff >> excess)
		}
	}
	return list
}()

func firstBytes(b []byte, n int) []byte { return b[:min(n, len(b))] }

// checkBasicOXM checks a field of the table.
func checkBasicOXM(o oxm, f Field, seen uint64, have packetKind, report bool) error {
	t := &oxmFields[f]
	switch {
	case len(o.value) != int(t.size):
		return refuse(BadMatchBadLen, "match field %s of %d bytes, not %d", f, len(o.value), t.size)
	case seen&(1<<f) != 0:
		return refuse(BadMatchDupField, "match field %s twice", f)
	case report:
		return nil
	case o.mask != nil && !t.maskable:
		return refuse(BadMatchBadMask, "match field %s cannot have a mask", f)
	case o.mask != nil && !within(o.value, o.mask):
		return refuse(BadMatchBadWildcards, "match field %s: value 0x%x has bits outside of its mask 0x%x", f, o.value, o.mask)
	case !fitsBits(o.value, t.bits) || f == FieldVLANVID && !validVLAN(o):
		return refuse(BadMatchBadValue, "match field %s: value 0x%x out of range", f, o.value)
	case t.needs != 0 && t.needs&have == 0:
		return refuse(BadMatchBadPrereq, "match field %s without its prerequisite before it", f)
	}
	return nil
}

// validVLAN refuses an id without the bit that says there is a tag: no packet has that. With a mask
// it may mean something.
func validVLAN(o oxm) bool {
	v := be16(o.value)
	return o.mask != nil || v == 0 || v&VLANPresent != 0
}

// checkOtherOXM checks a field that is not of the table; before are the TLVs before it, nth is how
// many of those are not of the table either.
func checkOtherOXM(o oxm, before []byte, nth int, report bool) error {
	if o.class() == oxmClassBasic && !report {
		return refuse(BadMatchBadField, "match field %d of OFPXMC_OPENFLOW_BASIC is unknown", o.header>>9&0x7f)
	}
	if nth > maxOtherOXMs {
		return refuse(BadMatchBadLen, "more than %d match fields of other classes", maxOtherOXMs)
	}
	for nth > 0 && len(before) > 0 {
		p, _ := nextOXM(before)
		if p.key() == o.key() {
			return refuse(BadMatchDupField, "match field %s twice", oxmName(o))
		}
		before = before[p.size:]
	}
	return nil
}

// maxOtherOXMs bounds the search for duplicates, which is quadratic. Open vSwitch knows about 120
// such fields.
const maxOtherOXMs = 512
