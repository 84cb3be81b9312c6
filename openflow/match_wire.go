package openflow

// parse reads an ofp_match at the beginning of b, with its padding, and returns how long it is. In
// OpenFlow 1.3 the match is a view into b; in 1.0 its TLVs are made in a. a.report says how
// strictly it is checked.
func (m *Match) parse(v Version, b []byte, a *arena) (int, error) {
	if v == V10 {
		if err := m.as10.parse(b, a); err != nil {
			return 0, err
		}
		m.OXM = m.as10.meant
		return match10Len, nil
	}
	m.as10 = match10{}
	if len(b) < 8 {
		return 0, refuse(BadMatchBadLen, "%d bytes, too short for a match", len(b))
	}
	if t := be16(b); t != matchTypeOXM {
		return 0, refuse(BadMatchBadType, "match type %d, not OFPMT_OXM", t)
	}
	n := int(be16(b[2:]))
	padded := n + padTo8(n)
	if n < matchHeaderLen || padded > len(b) {
		return 0, refuse(BadMatchBadLen, "match of %d bytes in %d", n, len(b))
	}
	m.OXM = view(b, matchHeaderLen, n)
	return padded, checkOXM(m.OXM, a.report)
}

// append appends the match as version v writes it, with padding.
func (m *Match) append(b []byte, v Version) ([]byte, error) {
	if v == V10 {
		return m.as10.append(b, m.OXM)
	}
	n := matchHeaderLen + len(m.OXM)
	if n > 0xffff {
		return b, ErrTooLong
	}
	b = append(b, 0, matchTypeOXM, uint8(n>>8), uint8(n))
	b = append(b, m.OXM...)
	return append(b, zeros[:padTo8(n)]...), nil
}

// appendText appends the match as {name=value,…} in its own order. A match of OpenFlow 1.0 whose 40
// bytes say more than its meaning has that too, as wildcards=0x… or ofp_match=0x….
func (m *Match) appendText(b []byte, v Version) []byte {
	b = append(b, '{')
	for rest := m.OXM; len(rest) > 0; {
		o, ok := nextOXM(rest)
		if !ok {
			b = appendKey(b, ',', "broken")
			b = appendHexBytes(b, rest)
			break
		}
		b = appendOXMName(appendSep(b), o)
		b = append(b, '=')
		b = appendOXMValue(b, o)
		rest = rest[o.size:]
	}
	if v == V10 {
		b = m.as10.appendExtra(b, m.OXM)
	}
	return append(b, '}')
}
