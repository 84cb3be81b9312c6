package client

import (
	"fmt"
	"strconv"
	"strings"
)

// Hex64 is a number of 64 bits that JSON writes as a hexadecimal string: "0x1a".
type Hex64 uint64

// String returns the number as JSON writes it, without the quotes.
func (h Hex64) String() string { return "0x" + strconv.FormatUint(uint64(h), 16) }

// MarshalText implements encoding.TextMarshaler.
func (h Hex64) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads hexadecimal digits, with 0x or without.
func (h *Hex64) UnmarshalText(b []byte) error {
	v, err := parseHex(string(b))
	if err != nil {
		return fmt.Errorf("%q is not a 64-bit hexadecimal number such as 0x1a", b)
	}
	*h = Hex64(v)
	return nil
}

// ParseDPID reads a datapath id: up to 16 hexadecimal digits, with 0x or without, with colons
// between bytes or without.
func ParseDPID(s string) (uint64, error) {
	v, err := parseHex(strings.ReplaceAll(s, ":", ""))
	if err != nil {
		return 0, fmt.Errorf("datapath id %q: want up to 16 hexadecimal digits, such as 00000000000000a1 or 0xa1", s)
	}
	return v, nil
}

// FormatDPID returns a datapath id as every answer writes it: 16 hexadecimal digits.
func FormatDPID(v uint64) string { return fmt.Sprintf("%016x", v) }

func parseHex(s string) (uint64, error) {
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		s = s[2:]
	}
	return strconv.ParseUint(s, 16, 64)
}
