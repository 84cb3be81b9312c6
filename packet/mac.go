package packet

import "errors"

// MAC is a 48-bit Ethernet address in the order of the wire. It is comparable and a map key.
type MAC [6]byte

// Broadcast is the address of all stations.
var Broadcast = MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// ErrMAC is returned by ParseMAC for text that is not six bytes in hexadecimal, separated by colons
// or by hyphens.
var ErrMAC = errors.New(`not a MAC address: want six bytes in hexadecimal such as "00:16:3e:00:00:01"`)

// MACFromUint64 is the address in the low 48 bits of v; the high 16 bits are ignored.
func MACFromUint64(v uint64) MAC {
	return MAC{byte(v >> 40), byte(v >> 32), byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
}

// ParseMAC reads an address such as "00:16:3e:00:00:01" or "00-16-3E-00-00-01". The error is
// ErrMAC.
func ParseMAC(s string) (MAC, error) {
	var m MAC
	if len(s) != 17 || s[2] != ':' && s[2] != '-' {
		return MAC{}, ErrMAC
	}
	for i := range m {
		if i > 0 && s[3*i-1] != s[2] {
			return MAC{}, ErrMAC
		}
		hi, lo := unhex(s[3*i]), unhex(s[3*i+1])
		if hi > 15 || lo > 15 {
			return MAC{}, ErrMAC
		}
		m[i] = hi<<4 | lo
	}
	return m, nil
}

// Uint64 is the address as a number, the first byte of the wire highest; the high 16 bits are 0.
func (m MAC) Uint64() uint64 {
	return uint64(m[0])<<40 | uint64(m[1])<<32 | uint64(m[2])<<24 | uint64(m[3])<<16 | uint64(m[4])<<8 | uint64(m[5])
}

// IsMulticast reports whether the group bit is set; the broadcast address has it too.
func (m MAC) IsMulticast() bool { return m[0]&1 != 0 }

// IsBroadcast reports whether this is ff:ff:ff:ff:ff:ff.
func (m MAC) IsBroadcast() bool { return m == Broadcast }

// IsZero reports whether this is 00:00:00:00:00:00, which no station has.
func (m MAC) IsZero() bool { return m == MAC{} }

// String is the address in lower case with colons: "00:16:3e:00:00:01".
func (m MAC) String() string {
	var b [17]byte
	return string(m.AppendText(b[:0]))
}

// AppendText appends what String returns.
func (m MAC) AppendText(b []byte) []byte {
	for i, c := range m {
		if i > 0 {
			b = append(b, ':')
		}
		b = append(b, hexDigits[c>>4], hexDigits[c&15])
	}
	return b
}

const hexDigits = "0123456789abcdef"

// unhex is the value of a hexadecimal digit, 255 if c is none.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}
