package openflow

import (
	"bytes"
	"math/bits"
)

// helloVersionBitmap is the type of the hello element that lists versions (OFPHET_VERSIONBITMAP).
const helloVersionBitmap = 1

// Hello opens a connection.
type Hello struct {
	// Versions is the bitmap of versions offered, bit n for version n; 0 if the message carried
	// none.
	Versions uint32
	// Elements are the bytes after the header as received; kept so that unknown elements survive.
	// Append writes them if there are any, and otherwise makes a version bitmap element from
	// Versions, or nothing if that is 0.
	Elements []byte
}

// Type is TypeHello.
func (m *Hello) Type() Type { return TypeHello }

// Parse reads the elements. OpenFlow 1.0 says that a hello may have any body and that it is
// ignored; later versions must have whole elements there.
func (m *Hello) Parse(v Version, body []byte) error {
	m.Elements, m.Versions = body, 0
	for rest := body; len(rest) > 0; {
		element, next, ok := helloElement(rest)
		if !ok {
			if v == V10 {
				m.Versions = 0
				return nil
			}
			return refuse(BadRequestBadLen, "hello element cut off or shorter than 4 bytes")
		}
		if be16(element) == helloVersionBitmap && len(element) >= 8 && m.Versions == 0 {
			m.Versions = be32(element[4:])
		}
		rest = next
	}
	return nil
}

// helloElement is the first element, without its padding, and what comes after it. The padding of
// the last element may be missing: there are peers that leave it out.
func helloElement(b []byte) (element, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := int(be16(b[2:]))
	if n < 4 || n > len(b) {
		return nil, nil, false
	}
	return b[:n], b[min(n+padTo8(n), len(b)):], true
}

// Append writes the elements, with zeros for their padding.
func (m *Hello) Append(b []byte, _ Version) ([]byte, error) {
	if len(m.Elements) == 0 {
		if m.Versions == 0 {
			return b, nil
		}
		return append32(append(b, 0, helloVersionBitmap, 0, 8), m.Versions), nil
	}
	start := len(b)
	b = append(b, m.Elements...)
	for rest := b[start:]; len(rest) > 0; {
		element, next, ok := helloElement(rest)
		if !ok {
			copy(b[start:], m.Elements)
			break
		}
		clear(rest[len(element) : len(rest)-len(next)])
		rest = next
	}
	return b, nil
}

// AppendText prints the versions, and the elements if there is more in them than that.
func (m *Hello) AppendText(b []byte, v Version) []byte {
	b = appendKey(b, ' ', "versions")
	b = append(b, '[')
	for w := m.Versions; w != 0; w &= w - 1 {
		b = appendSep(b)
		b = append(b, Version(bits.TrailingZeros32(w)).String()...)
	}
	b = append(b, ']')
	only := Hello{Versions: m.Versions}
	var room [8]byte
	made, _ := only.Append(room[:0], v)
	if len(m.Elements) > 0 && !bytes.Equal(made, m.Elements) {
		b = appendKey(b, ' ', "elements")
		whole, _ := m.Append(nil, v)
		b = appendHexBytes(b, whole)
	}
	return b
}

// VersionBit is the bit of a version in Hello.Versions.
func VersionBit(v Version) uint32 { return 1 << (v & 31) }
