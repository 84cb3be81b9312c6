package intent

// bits is a set of rules of one rule set; the first 64 need no allocation.
type bits struct {
	low  uint64
	high []uint64
}

func (b *bits) word(i uint16, room bool) *uint64 {
	if i < 64 {
		return &b.low
	}
	at := int(i)/64 - 1
	for at >= len(b.high) {
		if !room {
			return nil
		}
		b.high = append(b.high, 0)
	}
	return &b.high[at]
}

func (b *bits) set(i uint16) { *b.word(i, true) |= 1 << (i % 64) }

func (b *bits) has(i uint16) bool {
	w := b.word(i, false)
	return w != nil && *w>>(i%64)&1 != 0
}

// clear removes a rule, and reports whether it was there.
func (b *bits) clear(i uint16) bool {
	if !b.has(i) {
		return false
	}
	*b.word(i, false) &^= 1 << (i % 64)
	return true
}
