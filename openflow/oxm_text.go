package openflow

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
)

// appendOXMName appends a field's name; one that is not of the table is oxm_0x and its class, _ and
// its number, both hexadecimal.
func appendOXMName(b []byte, o oxm) []byte {
	if f, ok := o.basic(); ok {
		return append(b, oxmFields[f].name...)
	}
	b = append(b, "oxm_"...)
	b = appendHexN(b, uint64(o.class()), 4)
	n := uint8(o.header >> 9 & 0x7f)
	return append(b, '_', hexDigits[n>>4], hexDigits[n&15])
}

func oxmName(o oxm) string  { return string(appendOXMName(nil, o)) }
func oxmValue(o oxm) string { return string(appendOXMValue(nil, o)) }

// appendOXMValue appends value, or value/mask.
func appendOXMValue(b []byte, o oxm) []byte {
	f, ok := o.basic()
	if !ok || len(o.value) != int(oxmFields[f].size) {
		b = appendHexBytes(b, o.value)
		if o.mask != nil {
			b = appendHexBytes(append(b, '/'), o.mask)
		}
		return b
	}
	switch form := oxmFields[f].form; form {
	case formMAC:
		b = appendMAC(b, o.value)
		if o.mask != nil {
			b = appendMAC(append(b, '/'), o.mask)
		}
		return b
	case formIP:
		return appendMaskedIP(b, o)
	case formVLAN:
		return appendVLAN(b, o)
	case formPort:
		if o.mask == nil {
			return appendPort(b, be32(o.value))
		}
	case formEtherType:
		b = appendHexN(b, uint64(be16(o.value)), 4)
		if o.mask != nil {
			b = appendHexN(append(b, '/'), uint64(be16(o.mask)), 4)
		}
		return b
	case formDec:
		if o.mask == nil {
			return appendDec(b, number(o.value))
		}
	}
	b = appendHex(b, number(o.value))
	if o.mask != nil {
		b = appendHex(append(b, '/'), number(o.mask))
	}
	return b
}

// number is a value of up to 8 bytes.
func number(b []byte) uint64 {
	var v uint64
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}

// putNumber is the inverse of number.
func putNumber(b []byte, v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = uint8(v)
		v >>= 8
	}
}

func appendMaskedIP(b []byte, o oxm) []byte {
	b = appendIP(b, o.value)
	if o.mask == nil {
		return b
	}
	b = append(b, '/')
	if n, ok := prefixLen(o.mask); ok {
		return appendDec(b, uint8(n))
	}
	return appendIP(b, o.mask)
}

// appendVLAN appends an id from 0 to 4095, none for untagged, any for any tag; whatever else, in
// hexadecimal as it is on the wire, with its mask (which is 0xffff in text where there is none but
// the id lacks the bit VLANPresent).
func appendVLAN(b []byte, o oxm) []byte {
	v := be16(o.value)
	if o.mask == nil {
		switch {
		case v == 0:
			return append(b, "none"...)
		case v&^vlanVIDMask == VLANPresent:
			return appendDec(b, v&vlanVIDMask)
		}
		return append(appendHexN(b, uint64(v), 4), "/none"...)
	}
	mask := be16(o.mask)
	if v == VLANPresent && mask == VLANPresent {
		return append(b, "any"...)
	}
	return appendHexN(append(appendHexN(b, uint64(v), 4), '/'), uint64(mask), 4)
}

// AppendFieldText appends the OXM TLV of a field whose value is in text, as Match.SetText reads it.
// Only its errors allocate.
func AppendFieldText(b []byte, f Field, s string) ([]byte, error) {
	var v, k [16]byte
	n, masked, err := readOXMValue(f, s, &v, &k)
	if err != nil {
		return b, err
	}
	if masked {
		return appendOXM(b, f, v[:n], k[:n]), nil
	}
	return appendOXM(b, f, v[:n], nil), nil
}

// parseOXMValue reads what appendOXMValue writes, for a field of the table. A mask of all ones is
// none; mask is nil if there is none.
func parseOXMValue(f Field, s string) (value, mask []byte, err error) {
	var v, k [16]byte
	n, masked, err := readOXMValue(f, s, &v, &k)
	if err != nil {
		return nil, nil, err
	}
	value = append([]byte(nil), v[:n]...)
	if masked {
		mask = append([]byte(nil), k[:n]...)
	}
	return value, mask, nil
}

// readOXMValue reads a value, and a mask if there is one that leaves anything out. Both are n bytes
// long.
func readOXMValue(f Field, s string, v, k *[16]byte) (n int, masked bool, err error) {
	t := &oxmFields[f]
	n = int(t.size)
	text, maskText, masked := strings.Cut(s, "/")
	value, mask := v[:n], k[:n]
	if t.form == formVLAN {
		text, maskText, masked = vlanText(text, maskText, masked)
	}
	if err := parsePart(t, value, text); err != nil {
		return 0, false, fieldError(f, s, err)
	}
	if !masked {
		return n, false, nil
	}
	if !t.maskable {
		return 0, false, fieldError(f, s, errors.New("this field cannot have a mask"))
	}
	if err := parseMask(t, mask, maskText); err != nil {
		return 0, false, fieldError(f, s, err)
	}
	for i := range value {
		value[i] &= mask[i]
	}
	return n, !coversBits(mask, t.bits), nil
}

func fieldError(f Field, s string, err error) error {
	return errors.New("match " + f.String() + "=" + strconv.Quote(s) + ": " + err.Error())
}

// vlanText turns what people write for a VLAN into the bits on the wire.
func vlanText(text, mask string, masked bool) (string, string, bool) {
	switch {
	case masked:
	case text == "none":
		return "0x0", "", false
	case text == "any":
		return "0x1000", "0x1000", true
	default:
		if v, err := parseUint(text, 64); err == nil && v <= vlanVIDMask {
			return strconv.FormatUint(v|uint64(VLANPresent), 10), "", false
		}
		return "0–4095, none or any", "", false
	}
	return text, mask, masked
}

// parsePart reads a value, or a mask written like a value.
func parsePart(t *oxmField, b []byte, s string) error {
	switch t.form {
	case formMAC:
		return parseMAC(b, s)
	case formIP:
		return parseIP(b, s)
	case formPort:
		p, err := ParsePort(s)
		putNumber(b, uint64(p))
		return err
	}
	v, err := parseUint(s, 64)
	if err != nil {
		if t.form == formVLAN {
			return errors.New("want 0–4095, none or any")
		}
		return errors.New("want a number")
	}
	if t.bits < 64 && v>>t.bits != 0 {
		return errors.New("want at most " + strconv.FormatUint(1<<t.bits-1, 10))
	}
	putNumber(b, v)
	return nil
}

// parseMask reads a mask: for addresses a prefix length, otherwise like a value.
func parseMask(t *oxmField, b []byte, s string) error {
	if t.form == formIP {
		if n, err := strconv.ParseUint(s, 10, 16); err == nil {
			if int(n) > len(b)*8 {
				return errors.New("want a prefix of at most " + strconv.Itoa(len(b)*8) + " bits")
			}
			for i := range b {
				b[i] = ^uint8(0xff >> min(uint(n), 8))
				n -= min(n, 8)
			}
			return nil
		}
	}
	return parsePart(t, b, s)
}

// parseMAC reads six bytes in hexadecimal with colons.
func parseMAC(b []byte, s string) error {
	for i := range b {
		p, rest, more := strings.Cut(s, ":")
		v, err := strconv.ParseUint(p, 16, 8)
		if err != nil || len(p) > 2 || more != (i < len(b)-1) {
			return errors.New("want an address like 00:00:00:00:00:01")
		}
		b[i], s = uint8(v), rest
	}
	return nil
}

// parseIP reads an IPv4 address into 4 bytes or an IPv6 address into 16.
func parseIP(b []byte, s string) error {
	addr, err := netip.ParseAddr(s)
	if err != nil || addr.Zone() != "" || addr.BitLen() != len(b)*8 {
		if len(b) == 4 {
			return errors.New("want an address like 10.0.0.1 or 10.0.0.0/8")
		}
		return errors.New("want an address like 2001:db8::1 or 2001:db8::/32")
	}
	if len(b) == 4 {
		a := addr.As4()
		copy(b, a[:])
	} else {
		a := addr.As16()
		copy(b, a[:])
	}
	return nil
}
