package openflow

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Canonical is the match in the one form that all matches of the same meaning have, in memory of
// its own: fields in order of their numbers, those of other classes after them; masks of nothing
// left out with their field, masks of everything left out; prerequisites that are missing filled
// in, where only one makes sense or, for IP, as IPv4.
func (m Match) Canonical() Match { return Match{OXM: oxmList(m.OXM).canonical()} }

// AppendCanonical appends the TLVs of the canonical match; it does not allocate if b has room,
// unless a field is not of the table, or is there twice.
func (m Match) AppendCanonical(b []byte) []byte {
	l := oxmList(m.OXM)
	if l.isCanonical() {
		return append(b, l...)
	}
	if out, ok := l.appendFilled(b); ok {
		return out
	}
	return append(b, l.canonical()...)
}

// Key is a string that two matches of the same meaning, and only those, have in common.
func (m Match) Key() string { return string(oxmList(m.OXM).canonical()) }

// canonical is the list of the canonical match, in memory of its own.
func (l oxmList) canonical() oxmList {
	list := make([]oxm, 0, 16)
	for rest := l; len(rest) > 0; {
		o, ok := nextOXM(rest)
		if !ok {
			break
		}
		rest = rest[o.size:]
		if o, ok = o.simplify(); ok {
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, compareOXM)
	c := make([]byte, 0, len(l)+16)
	for _, o := range list {
		c = o.append(c)
	}
	if filled := oxmList(c).filled(); len(filled) > len(c) {
		return filled.canonical()
	}
	return c
}

// isCanonical reports whether the list is in the canonical form. It may say no where it is.
func (l oxmList) isCanonical() bool {
	var seen uint64
	last := -1
	for rest := l; len(rest) > 0; {
		o, ok := nextOXM(rest)
		if !ok {
			return false
		}
		f, known := o.basic()
		if !known || int(f) <= last || o.mask != nil && o.maskChanges(f) {
			return false
		}
		last = int(f)
		seen |= 1 << f
		rest = rest[o.size:]
	}
	missing := false
	need := func(f Field, _ uint64) { missing = missing || seen&(1<<f) == 0 }
	for left := seen; left != 0; left &= left - 1 {
		if needs := oxmFields[bits.TrailingZeros64(left)].needs; needs != 0 {
			fillInFor(needs, need)
		}
	}
	return !missing
}

// simplify leaves masks out; ok is false if the mask matches anything.
func (o oxm) simplify() (_ oxm, ok bool) {
	f, known := o.basic()
	if known && !fitsBits(o.mask, oxmFields[f].bits) {
		o.mask = lowBits(o.mask, oxmFields[f].bits) // those beyond the field mean nothing
	}
	if o.matchesAll() {
		return o, false
	}
	if o.mask == nil || !known {
		return o, true
	}
	if !coversBits(o.mask, oxmFields[f].bits) {
		return o, true
	}
	o.mask = nil
	o.header = o.header&^(oxmHasMask|0xff) | uint32(len(o.value))
	return o, true
}

// maskChanges reports whether simplify changes the mask of a field of the table.
func (o oxm) maskChanges(f Field) bool {
	return isZero(o.mask) || coversBits(o.mask, oxmFields[f].bits) || !fitsBits(o.mask, oxmFields[f].bits)
}

// matchesAll reports whether the mask has no bit.
func (o oxm) matchesAll() bool { return len(o.mask) > 0 && isZero(o.mask) }

// append appends the TLV.
func (o oxm) append(b []byte) []byte {
	return append(append(append32(b, o.header), o.value...), o.mask...)
}

// compareOXM orders the fields of the table by number, others after them by class, number and all.
func compareOXM(a, b oxm) int {
	f, aok := a.basic()
	g, bok := b.basic()
	switch {
	case aok && bok:
		return int(f) - int(g)
	case aok:
		return -1
	case bok:
		return 1
	}
	return bytes.Compare(a.append(nil), b.append(nil))
}

// filled is the list and the prerequisites that are missing.
func (l oxmList) filled() oxmList {
	var seen uint64
	for rest := l; len(rest) > 0; {
		o, ok := nextOXM(rest)
		if !ok {
			break
		}
		if f, known := o.basic(); known {
			seen |= 1 << f
		}
		rest = rest[o.size:]
	}
	need := func(f Field, v uint64) {
		if seen&(1<<f) == 0 {
			l = appendFill(l, f, uint16(v))
			seen |= 1 << f
		}
	}
	for f := Field(numFields - 1); f > 0; f-- { // downwards: what is filled in may need something itself
		if seen&(1<<f) != 0 {
			fillInFor(oxmFields[f].needs, need)
		}
	}
	return l
}

// fillInFor asks for the fields that make a packet one of the kinds wanted.
func fillInFor(kinds packetKind, need func(Field, uint64)) {
	switch {
	case kinds&kindTagged != 0:
		need(FieldVLANVID, uint64(VLANPresent))
	case kinds&kindSolicit != 0:
		need(FieldICMPv6Type, icmpv6Solicit)
	case kinds&kindAdvertise != 0:
		need(FieldICMPv6Type, icmpv6Advertise)
	case kinds&kindTCP != 0:
		need(FieldIPProto, protoTCP)
	case kinds&kindUDP != 0:
		need(FieldIPProto, protoUDP)
	case kinds&kindSCTP != 0:
		need(FieldIPProto, protoSCTP)
	case kinds&kindICMPv4 != 0:
		need(FieldIPProto, protoICMP)
		need(FieldEthType, etherTypeIPv4)
	case kinds&kindICMPv6 != 0:
		need(FieldIPProto, protoICMPv6)
		need(FieldEthType, etherTypeIPv6)
	case kinds == kindIPv6:
		need(FieldEthType, etherTypeIPv6)
	case kinds&kindIP != 0:
		need(FieldEthType, etherTypeIPv4)
	case kinds&kindARP != 0:
		need(FieldEthType, etherTypeARP)
	case kinds&kindMPLS != 0:
		need(FieldEthType, etherTypeMPLS)
	case kinds&kindPBB != 0:
		need(FieldEthType, etherTypePBB)
	}
}

// parseOtherOXM reads a field that is not of the table: its name, like oxm_0x0001_00, and value or
// value/mask in hexadecimal.
func parseOtherOXM(name, s string) ([]byte, error) {
	class, number, _ := strings.Cut(strings.TrimPrefix(name, "oxm_0x"), "_")
	c, err1 := strconv.ParseUint(class, 16, 16)
	n, err2 := strconv.ParseUint(number, 16, 7)
	value, maskText, masked := strings.Cut(s, "/")
	v, err3 := parseHexBytes(value)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, errors.New("match " + name + "=" + strconv.Quote(s) +
			": want a field like oxm_0x0001_00 and a value like 0x1f, or 0x10/0xf0")
	}
	o := oxm{value: v}
	if masked {
		mask, err := parseHexBytes(maskText)
		id := 0
		if c == oxmClassExp {
			id = 4
		}
		if err != nil || len(mask)+id != len(v) {
			return nil, errors.New("match " + name + "=" + strconv.Quote(s) + ": want a mask as long as the value")
		}
		o.mask = mask
		o.header = oxmHasMask
	}
	size := len(v) + len(o.mask)
	if size > 0xff || c == oxmClassExp && len(v) < 4 {
		return nil, errors.New("match " + name + "=" + strconv.Quote(s) +
			": want at most 255 bytes, and at least 4 of an experimenter")
	}
	o.header |= uint32(c)<<16 | uint32(n)<<9 | uint32(size)
	return o.append(nil), nil
}

// parseHexBytes reads 0x and two digits a byte.
func parseHexBytes(s string) ([]byte, error) {
	s, ok := strings.CutPrefix(s, "0x")
	b, err := hex.DecodeString(s)
	if !ok || err != nil {
		return nil, errors.New("want 0x and two digits a byte, not " + strconv.Quote(s))
	}
	return b, nil
}
