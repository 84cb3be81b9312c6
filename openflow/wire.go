package openflow

import (
	"bytes"
	"encoding/binary"
)

// All integers on the wire are in network byte order. The readers panic on a slice that is too
// short: callers check lengths first.

func be16(b []byte) uint16 { return binary.BigEndian.Uint16(b) }
func be32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
func be64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }

func append16(b []byte, v uint16) []byte { return binary.BigEndian.AppendUint16(b, v) }
func append32(b []byte, v uint32) []byte { return binary.BigEndian.AppendUint32(b, v) }
func append64(b []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(b, v) }

// zeros is where pads come from.
var zeros [64]byte

// appendPad appends n zero bytes; n is at most 64.
func appendPad(b []byte, n int) []byte { return append(b, zeros[:n]...) }

// padTo8 is the number of bytes that round n up to a multiple of 8.
func padTo8(n int) int { return -n & 7 }

// appendFixed appends s in a field of n bytes, cut or filled with zeros. The last byte stays zero,
// as the specification wants of its NUL-terminated strings, unless s has exactly n bytes: such
// strings exist on the wire.
func appendFixed(b []byte, s string, n int) []byte {
	if len(s) > n {
		s = s[:n]
	}
	return append(append(b, s...), make([]byte, n-len(s))...)
}

// fixedString is the string in a NUL-terminated field: all before the first NUL.
func fixedString(b []byte) string {
	s, _, _ := bytes.Cut(b, zeros[:1])
	return string(s)
}

// setLen16 writes the length of b from start on into the 16 bits at at, or says that it does not
// fit.
func setLen16(b []byte, start, at int) error {
	n := len(b) - start
	if n > 0xffff {
		return ErrTooLong
	}
	binary.BigEndian.PutUint16(b[at:], uint16(n))
	return nil
}

// view is b[i:j] with its capacity cut, so that appending to it cannot overwrite what comes after
// it.
func view(b []byte, i, j int) []byte { return b[i:j:j] }

// port10Reserved is the first 16-bit number of OpenFlow 1.0 that is no port of the switch (OFPP_MAX
// of 1.0).
const port10Reserved = 0xff00

// portFrom10 maps a port number of OpenFlow 1.0 to that of 1.3: the reserved ones are moved up,
// others stay.
func portFrom10(p uint16) uint32 {
	if p >= port10Reserved {
		return 0xffff0000 | uint32(p)
	}
	return uint32(p)
}

// portTo10 is the inverse of portFrom10; it fails for a port that 16 bits cannot name.
func portTo10(p uint32) (uint16, error) {
	if p < port10Reserved || p >= 0xffff0000|port10Reserved {
		return uint16(p), nil
	}
	return 0, inexpressible(V10, "port %d", p)
}
