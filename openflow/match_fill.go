package openflow

import "math/bits"

// appendFilled appends the canonical form of a list whose fields are all of the table and there
// once.
func (l oxmList) appendFilled(b []byte) (_ []byte, ok bool) {
	var seen, made uint64
	var at, values [numFields]uint16 // where a field's TLV begins, or the value that it is filled in with
	for rest := l; len(rest) > 0; {
		o, ok := nextOXM(rest)
		f, known := o.basic()
		if !ok || !known || seen>>f&1 != 0 || len(l) > 0xffff {
			return b, false
		}
		if _, counts := o.simplify(); counts {
			seen |= 1 << f
			at[f] = uint16(len(l) - len(rest))
		}
		rest = rest[o.size:]
	}
	need := func(f Field, v uint64) {
		if seen>>f&1 == 0 {
			seen, made, values[f] = seen|1<<f, made|1<<f, uint16(v)
		}
	}
	for f := Field(numFields - 1); f > 0; f-- { // downwards: what is filled in may need something itself
		if seen>>f&1 != 0 {
			fillInFor(oxmFields[f].needs, need)
		}
	}
	for left := seen; left != 0; left &= left - 1 {
		f := Field(bits.TrailingZeros64(left))
		if made>>f&1 != 0 {
			b = appendFill(b, f, values[f])
			continue
		}
		o, _ := nextOXM(l[at[f]:])
		o, _ = o.simplify()
		b = o.append(b)
	}
	return b, true
}

// appendFill appends a prerequisite that was missing: of a VLAN any, of others the value.
func appendFill(b []byte, f Field, v uint16) []byte {
	value := [2]byte{uint8(v >> 8), uint8(v)}
	if f == FieldVLANVID {
		return appendOXM(b, f, value[:], value[:])
	}
	return appendOXM(b, f, value[2-oxmFields[f].size:], nil)
}
