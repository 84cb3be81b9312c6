package openflow

import (
	"encoding/hex"
	"errors"
	"net/netip"
	"strconv"
)

// The canonical text is one line of "key=value" pairs; values of parts are {key=value,…}, lists are
// [a,b]. Numbers that the field's people write in hexadecimal are, with 0x; strings are quoted as
// Go quotes them.

const hexDigits = "0123456789abcdef"

// appendKey begins a pair. Between pairs stands sep: ' ' in a message, ',' in a part of one.
func appendKey(b []byte, sep byte, key string) []byte {
	if n := len(b); n > 0 && b[n-1] != sep && b[n-1] != '{' && b[n-1] != '[' {
		b = append(b, sep)
	}
	b = append(b, key...)
	return append(b, '=')
}

// appendSep separates the items of a list.
func appendSep(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] != '[' && b[n-1] != '{' {
		b = append(b, ',')
	}
	return b
}

// appendDec appends v in decimal.
func appendDec[T ~uint8 | ~uint16 | ~uint32 | ~uint64](b []byte, v T) []byte {
	return strconv.AppendUint(b, uint64(v), 10)
}

// appendHex appends v as 0x and its digits without leading zeros.
func appendHex[T ~uint8 | ~uint16 | ~uint32 | ~uint64](b []byte, v T) []byte {
	return strconv.AppendUint(append(b, '0', 'x'), uint64(v), 16)
}

// appendHexN appends v as 0x and n digits.
func appendHexN(b []byte, v uint64, n int) []byte {
	b = append(b, '0', 'x')
	for n--; n >= 0; n-- {
		b = append(b, hexDigits[v>>(4*n)&15])
	}
	return b
}

// appendHexBytes appends p as 0x and two digits a byte.
func appendHexBytes(b, p []byte) []byte {
	return hex.AppendEncode(append(b, '0', 'x'), p)
}

// appendMAC appends the address in lower case with colons.
func appendMAC(b, mac []byte) []byte {
	for i, c := range mac {
		if i > 0 {
			b = append(b, ':')
		}
		b = append(b, hexDigits[c>>4], hexDigits[c&15])
	}
	return b
}

// appendIP appends an IPv4 or IPv6 address of 4 or 16 bytes.
func appendIP(b, ip []byte) []byte {
	addr, _ := netip.AddrFromSlice(ip)
	return addr.AppendTo(b)
}

// appendQuoted appends a string as Go quotes it, ASCII only.
func appendQuoted(b []byte, s string) []byte { return strconv.AppendQuoteToASCII(b, s) }

// portNames are the reserved ports, from PortInPort on.
var portNames = [...]string{"in_port", "table", "normal", "flood", "all", "controller", "local", "any"}

// appendPort appends a port's number, or its name if it is reserved.
func appendPort(b []byte, port uint32) []byte {
	if port >= PortInPort {
		return append(b, portNames[port-PortInPort]...)
	}
	return appendDec(b, port)
}

// PortText is a port as people write it: its number, or its name if it is reserved ("controller").
func PortText(port uint32) string { return string(appendPort(nil, port)) }

// ParsePort reads what PortText writes. Numbers may be hexadecimal with 0x.
func ParsePort(s string) (uint32, error) {
	for i, name := range portNames {
		if s == name {
			return PortInPort + uint32(i), nil
		}
	}
	v, err := parseUint(s, 32)
	if err != nil {
		return 0, errors.New("port " + strconv.Quote(s) +
			": want a number or one of in_port, table, normal, flood, all, controller, local, any")
	}
	return uint32(v), nil
}

// parseUint reads a number in decimal, or in hexadecimal with 0x.
func parseUint(s string, bits int) (uint64, error) {
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		return strconv.ParseUint(s[2:], 16, bits)
	}
	return strconv.ParseUint(s, 10, bits)
}

// nameOr appends names[i], or i in decimal if there is none: text stays unambiguous for values
// nobody named.
func nameOr[T ~uint8 | ~uint16 | ~uint32](b []byte, names []string, i T) []byte {
	if uint64(i) < uint64(len(names)) && names[i] != "" {
		return append(b, names[i]...)
	}
	return appendDec(b, i)
}

// flagName names one bit.
type flagName struct {
	bit  uint32
	name string
}

// appendFlags appends the names of the bits that are set, with | between them; bits nobody named
// are one hexadecimal number; none at all is 0.
func appendFlags(b []byte, flags uint32, names []flagName) []byte {
	if flags == 0 {
		return append(b, '0')
	}
	start := len(b)
	for _, f := range names {
		if flags&f.bit != 0 {
			b = appendBar(b, start)
			b = append(b, f.name...)
			flags &^= f.bit
		}
	}
	if flags != 0 {
		b = appendBar(b, start)
		b = appendHex(b, flags)
	}
	return b
}

func appendBar(b []byte, start int) []byte {
	if len(b) > start {
		b = append(b, '|')
	}
	return b
}
