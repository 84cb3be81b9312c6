package openflow

// checkOXM checks the TLVs of a match. Their structure always counts: lengths, and no field twice. In what a controller
// asks for (report false) the meaning counts too: known fields, masks, ranges of values, and prerequisites, which come
// before the fields that need them. What a switch reports of itself is taken as it is.
func checkOXM(b []byte, report bool) error {
	var seen uint64
	var have packetKind
	others := 0
	for rest := b; len(rest) > 0; {
		// The usual TLV, a known field without a mask, is checked here; any other below.
		if len(rest) >= oxmHeaderLen && rest[0] == oxmClassBasic>>8 && rest[1] == 0 && rest[2]&1 == 0 {
			if i := int(rest[2] >> 1); i < numFields {
				f := &oxmFields[i]
				n := oxmHeaderLen + int(f.size)
				if len(rest) >= n && rest[3] == f.size && seen&(1<<i) == 0 &&
					(report || f.bits == f.size*8 && (f.needs == 0 || f.needs&have != 0)) {
					seen |= 1 << i
					have |= oxm{value: rest[oxmHeaderLen:n]}.kinds(Field(i), have)
					rest = rest[n:]
					continue
				}
			}
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
			have |= o.kinds(f, have)
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

// within says whether value has no bit that mask has not.
func within(value, mask []byte) bool {
	for i, v := range value {
		if v&^mask[i] != 0 {
			return false
		}
	}
	return true
}

// fitsBits says whether value, a number in network byte order, needs no more than bits bits.
func fitsBits(value []byte, bits uint8) bool {
	excess := len(value)*8 - int(bits)
	for _, v := range value {
		if excess <= 0 {
			break
		}
		if v>>(8-min(excess, 8)) != 0 {
			return false
		}
		excess -= 8
	}
	return true
}

// validVLAN refuses an id without the bit that says there is a tag: no packet has that. With a mask it may mean something.
func validVLAN(o oxm) bool {
	v := be16(o.value)
	return o.mask != nil || v == 0 || v&VLANPresent != 0
}

// checkOtherOXM checks a field that is not of the table; before are the TLVs before it, nth is how many of those are not
// of the table either.
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

// maxOtherOXMs bounds the search for duplicates, which is quadratic. Open vSwitch knows about 120 such fields.
const maxOtherOXMs = 512
