package openflow

// Overlaps reports whether there may be a packet that both matches match: no field of the table is
// asked by both for bits that differ. Fields of other classes do not count. Overlapping matches of
// canonical form that no packet satisfies, such as TCP ports of an ARP packet, are not told apart.
func (m Match) Overlaps(other Match) bool {
	a, b := oxmList(m.OXM).canonical(), oxmList(other.OXM).canonical()
	for rest := a; len(rest) > 0; {
		o, ok := nextOXM(rest)
		if !ok {
			return true
		}
		rest = rest[o.size:]
		if f, known := o.basic(); known {
			if p, _, both := b.find(f); both && o.excludes(p) {
				return false
			}
		}
	}
	return true
}

// excludes reports whether two TLVs of one field ask for bits that differ.
func (o oxm) excludes(p oxm) bool {
	if len(o.value) != len(p.value) {
		return true
	}
	for i := range o.value {
		mask := uint8(0xff)
		if o.mask != nil {
			mask &= o.mask[i]
		}
		if p.mask != nil {
			mask &= p.mask[i]
		}
		if (o.value[i]^p.value[i])&mask != 0 {
			return true
		}
	}
	return false
}
