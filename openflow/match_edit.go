package openflow

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// Lookup finds a field: views of its value and mask, in network byte order. Mask is nil if the
// field is matched exactly.
func (m Match) Lookup(f Field) (value, mask []byte, ok bool) {
	if o, _, ok := oxmList(m.OXM).find(f); ok {
		return o.value, o.mask, true
	}
	return nil, nil, false
}

// find is the TLV of a field and where it begins.
func (l oxmList) find(f Field) (o oxm, at int, ok bool) {
	for at := 0; at < len(l); {
		o, ok := nextOXM(l[at:])
		if !ok {
			break
		}
		if g, known := o.basic(); known && g == f && len(o.value) == int(oxmFields[f].size) {
			return o, at, true
		}
		at += o.size
	}
	return oxm{}, 0, false
}

// Uint is the value of a field of up to 64 bits; the mask is not looked at. FieldVLANVID has the
// bit VLANPresent.
func (m Match) Uint(f Field) (uint64, bool) {
	value, _, ok := m.Lookup(f)
	if !ok || len(value) > 8 {
		return 0, false
	}
	return number(value), true
}

// SetUint matches a field of up to 64 bits exactly. FieldVLANVID is given with the bit VLANPresent.
func (m *Match) SetUint(f Field, v uint64) {
	var b [8]byte
	putNumber(b[:oxmFields[f].size], v)
	m.Set(f, b[:oxmFields[f].size], nil)
}

// SetUintMasked matches the bits of a field that are set in mask.
func (m *Match) SetUintMasked(f Field, v, mask uint64) {
	var b, k [8]byte
	putNumber(b[:oxmFields[f].size], v&mask)
	putNumber(k[:oxmFields[f].size], mask)
	m.Set(f, b[:oxmFields[f].size], k[:oxmFields[f].size])
}

// Set matches a field: value is as long as the field, in network byte order, mask is nil or as
// long. A field that was there is replaced where it is, a new one is appended: prerequisites come
// first, or Canonical orders them.
func (m *Match) Set(f Field, value, mask []byte) { m.OXM = oxmList(m.OXM).with(f, value, mask) }

// with is the list with a field in the place that it had, or at the end.
func (l oxmList) with(f Field, value, mask []byte) oxmList {
	o, at, ok := l.find(f)
	if !ok {
		return appendOXM(l, f, value, mask)
	}
	next := append(make([]byte, 0, len(l)+16), l[:at]...)
	next = appendOXM(next, f, value, mask)
	return append(next, l[at+o.size:]...)
}

// Remove stops matching a field.
func (m *Match) Remove(f Field) { m.OXM = oxmList(m.OXM).without(f) }

// without is the list without a field.
func (l oxmList) without(f Field) oxmList {
	o, at, ok := l.find(f)
	if !ok {
		return l
	}
	return append(append([]byte(nil), l[:at]...), l[at+o.size:]...)
}

// SetText matches a field by its name and its value in text, as Each gives them:
// eth_dst=00:00:00:00:00:01, ipv4_dst=10.0.0.0/8, vlan_vid=none. Fields that are not of OpenFlow
// 1.3 have names like oxm_0x0001_00 and hexadecimal values.
func (m *Match) SetText(name, value string) error {
	if strings.HasPrefix(name, "oxm_0x") {
		tlv, err := parseOtherOXM(name, value)
		if err == nil {
			m.OXM = append(m.OXM, tlv...)
		}
		return err
	}
	f, ok := FieldByName(name)
	if !ok {
		return errors.New("match " + strconv.Quote(name) + ": no such field; fields have the names of OpenFlow 1.3, like eth_dst")
	}
	v, mask, err := parseOXMValue(f, value)
	if err != nil {
		return err
	}
	m.Set(f, v, mask)
	return nil
}

// Each calls f for every field in the match's order with its name and value in text.
func (m Match) Each(f func(name, value string)) {
	for rest := m.OXM; len(rest) > 0; {
		o, ok := nextOXM(rest)
		if !ok {
			return
		}
		f(oxmName(o), oxmValue(o))
		rest = rest[o.size:]
	}
}

// Clone is a copy that shares no memory.
func (m Match) Clone() Match {
	c := Match{OXM: bytes.Clone(m.OXM)}
	if m.as10.means(m.OXM) {
		c.as10 = match10{bytes.Clone(m.as10.fixed), c.OXM}
	}
	return c
}

// Equal reports whether both mean the same.
func (m Match) Equal(o Match) bool {
	return bytes.Equal(m.OXM, o.OXM) || m.Key() == o.Key()
}

// String is the match in text: "{in_port=1,eth_type=0x0800}".
func (m Match) String() string { return string(m.appendText(nil, V13)) }

// Check refuses a match that a switch would refuse, with a *DecodeError: unknown fields, masks,
// values, prerequisites.
func (m Match) Check() error { return checkOXM(m.OXM, false) }
