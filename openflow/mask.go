package openflow

// isZero reports whether all bytes are zero.
func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// isOnes reports whether all bits are ones.
func isOnes(b []byte) bool {
	for _, c := range b {
		if c != 0xff {
			return false
		}
	}
	return true
}

// prefixLen is the length of the prefix that a mask is; ok is false if it is none.
func prefixLen(mask []byte) (n int, ok bool) {
	for i, c := range mask {
		if c == 0xff {
			n += 8
			continue
		}
		ones := 0
		for c<<ones&0x80 != 0 {
			ones++
		}
		return n + ones, c<<ones == 0 && isZero(mask[i+1:])
	}
	return n, true
}

// within reports whether value has no bit that mask has not.
func within(value, mask []byte) bool {
	for i, v := range value {
		if v&^mask[i] != 0 {
			return false
		}
	}
	return true
}

// fitsBits reports whether value, a number in network byte order, needs no more than bits bits.
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

// lowBits is a copy of a mask without what is above the lower bits bits.
func lowBits(mask []byte, bits uint8) []byte {
	low := append([]byte(nil), mask...)
	excess := len(mask)*8 - int(bits)
	for i := range low {
		low[i] &= uint8(0xff >> max(min(excess, 8), 0))
		excess -= 8
	}
	return low
}

// coversBits reports whether mask has all of the lower bits bits.
func coversBits(mask []byte, bits uint8) bool {
	excess := len(mask)*8 - int(bits)
	for _, c := range mask {
		need := uint8(0xff >> max(min(excess, 8), 0))
		if c&need != need {
			return false
		}
		excess -= 8
	}
	return true
}

// Maskable reports whether a match may name the field with a mask.
func (f Field) Maskable() bool { return int(f) < numFields && oxmFields[f].maskable }
