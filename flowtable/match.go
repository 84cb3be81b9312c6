package flowtable

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
)

// filter is a match: the bits of mask must be those of value, which has no others.
type filter struct {
	mask, value words
}

// An OXM TLV: class 16 bits, field 7, has mask 1, length 8.
const (
	oxmHeader = 4
	oxmBasic  = 0x8000 // OFPXMC_OPENFLOW_BASIC
)

// parse makes f of a match. It refuses what Match.Check refuses, and fields that this switch does
// not match.
func (f *filter) parse(m *openflow.Match) error {
	*f = filter{}
	if err := m.Check(); err != nil {
		return asError(err)
	}
	for b := m.OXM; len(b) >= oxmHeader; {
		n := oxmHeader + int(b[3])
		field, masked := openflow.Field(b[2]>>1), b[2]&1 != 0
		if binary.BigEndian.Uint16(b) != oxmBasic || int(field) >= len(places) || places[field].bits == 0 {
			return refuse(openflow.BadMatchBadField, "match field 0x%x, which this switch does not match", b[:oxmHeader])
		}
		f.add(places[field], b[oxmHeader:n], masked)
		b = b[n:]
	}
	return nil
}

// add adds a field, value and mask as they are in a TLV.
func (f *filter) add(p place, b []byte, masked bool) {
	size := len(b)
	if masked {
		size /= 2
	}
	if p.bits == 128 {
		for i := range 2 {
			v, m := binary.BigEndian.Uint64(b[8*i:]), ^uint64(0)
			if masked {
				m = binary.BigEndian.Uint64(b[16+8*i:])
			}
			f.value[int(p.word)+i], f.mask[int(p.word)+i] = v&m, m
		}
		return
	}
	v, m := number(b[:size]), lowBits(p.bits)
	if masked {
		m &= number(b[size:])
	}
	f.mask[p.word] |= m << p.shift
	f.value[p.word] |= v & m << p.shift
}

// number is a field of up to 8 bytes.
func number(b []byte) uint64 {
	var v uint64
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}

// appendOXM appends the match as TLVs in the order of the fields' numbers: a canonical form.
func (f *filter) appendOXM(b []byte) []byte {
	known := traitsOf(&f.value)
	for i := range places {
		field := openflow.Field(i)
		if places[i].bits != 0 && known.have(field) {
			b = f.appendOne(b, field, places[i])
		}
	}
	return b
}

func (f *filter) appendOne(b []byte, field openflow.Field, p place) []byte {
	if p.bits != 128 {
		m, v := f.mask.get(field), f.value.get(field)
		switch m {
		case 0:
			return b
		case lowBits(p.bits):
			m = 0
		}
		return appendField(b, field, v, m)
	}
	m, v := f.mask[p.word:p.word+2], f.value[p.word:p.word+2]
	switch {
	case m[0]|m[1] == 0:
		return b
	case m[0]&m[1] == ^uint64(0):
		b = append(b, oxmBasic>>8, 0, uint8(field)<<1, 16)
		return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, v[0]), v[1])
	}
	b = append(b, oxmBasic>>8, 0, uint8(field)<<1|1, 32)
	b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, v[0]), v[1])
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, m[0]), m[1])
}

// appendField appends the TLV of a field of up to 64 bits; a mask of 0 is none.
func appendField(b []byte, field openflow.Field, v, mask uint64) []byte {
	size := (int(places[field].bits) + 7) / 8
	switch field {
	case openflow.FieldMPLSLabel, openflow.FieldIPv6FLabel:
		size = 4 // 20 bits
	}
	has := uint8(0)
	if mask != 0 {
		has = 1
	}
	b = append(b, oxmBasic>>8, 0, uint8(field)<<1|has, uint8(size)<<has)
	b = appendNumber(b, v, size)
	if mask != 0 {
		b = appendNumber(b, mask, size)
	}
	return b
}

func appendNumber(b []byte, v uint64, size int) []byte {
	for size--; size >= 0; size-- {
		b = append(b, uint8(v>>(8*size)))
	}
	return b
}
