package packet

import "encoding/binary"

// IPv6Len is the length of an IPv6 header without extensions, in bytes.
const IPv6Len = 40

// MaxExtensions is how many extension headers of a packet are followed; a packet with more is at
// fault (FaultExtension). Real ones have at most three or four; the limit keeps a crafted frame
// from costing time.
const MaxExtensions = 8

// IPv6 is a view of an IPv6 packet; padding of the frame may follow it.
type IPv6 []byte

// Valid reports whether the 40 bytes of the header are there and the version is 6. The payload may
// be cut.
func (p IPv6) Valid() bool { return len(p) >= IPv6Len && p[0]>>4 == 6 }

// TrafficClass is DSCP (high 6 bits) and ECN.
func (p IPv6) TrafficClass() uint8 { return p[0]<<4 | p[1]>>4 }

// FlowLabel is the flow label, 20 bits.
func (p IPv6) FlowLabel() uint32 { return binary.BigEndian.Uint32(p[0:4]) & 0xfffff }

// PayloadLen is the length of all after the 40 bytes, in bytes.
func (p IPv6) PayloadLen() uint16 { return binary.BigEndian.Uint16(p[4:6]) }

// NextHeader is the protocol of the first extension header, or of the payload.
func (p IPv6) NextHeader() uint8 { return p[6] }

// HopLimit is the hop limit.
func (p IPv6) HopLimit() uint8 { return p[7] }

// Src is the source address.
func (p IPv6) Src() Addr { return Addr(p[8:24]) }

// Dst is the destination address.
func (p IPv6) Dst() Addr { return Addr(p[24:40]) }

// Payload is what follows the extension headers, and its protocol; ok is false where one of them is
// cut or there are more than MaxExtensions. In a later fragment proto is ProtoFragment and payload
// the fragment's part.
func (p IPv6) Payload() (proto uint8, payload []byte, ok bool) {
	body := p[IPv6Len:min(IPv6Len+int(p.PayloadLen()), len(p))]
	x := walkExtensions(p.NextHeader(), body)
	return x.proto, body[x.len:], x.ok
}

// extensions is what a walk over extension headers finds.
type extensions struct {
	proto uint8 // of what follows
	frag  uint8 // as Key.Frag
	len   int   // bytes of whole extension headers
	ok    bool
}

// walkExtensions skips the extension headers at the start of b, the first of them of protocol
// proto.
func walkExtensions(proto uint8, b []byte) extensions {
	x := extensions{proto: proto}
	for n := 0; isExtension(x.proto); n++ {
		rest := b[x.len:]
		if n == MaxExtensions || len(rest) < 8 { // each has at least 8 bytes
			return x
		}
		size := ExtensionLen(x.proto, rest)
		if size > len(rest) {
			return x
		}
		next := rest[0]
		x.len += size
		if x.proto == ProtoFragment {
			field := binary.BigEndian.Uint16(rest[2:4])
			if field != 0 {
				x.frag = FragAny
			}
			if field&^7 != 0 { // 13 bits of offset
				x.frag, x.ok = FragAny|FragLater, true
				return x
			}
		}
		x.proto = next
	}
	x.ok = true
	return x
}

// ExtensionLen is the length of the extension header b of a protocol, in bytes, as the header has
// it. Two bytes of it must be there.
func ExtensionLen(proto uint8, b []byte) int {
	switch proto {
	case ProtoFragment:
		return 8
	case ProtoAH:
		return (int(b[1]) + 2) * 4 // RFC 4302, 2.2: in 4-byte words, minus 2
	}
	return (int(b[1]) + 1) * 8
}

func isExtension(proto uint8) bool {
	switch proto {
	case ProtoHopByHop, ProtoRouting, ProtoFragment, ProtoAH, ProtoDstOpts:
		return true
	}
	return false
}

// appendIPv6 appends a header without extensions, for n bytes of payload.
func appendIPv6(b []byte, k *Key, proto uint8, n int) []byte {
	class := uint32(k.DSCP<<2 | k.ECN&3)
	b = binary.BigEndian.AppendUint32(b, 6<<28|class<<20|k.FlowLabel&0xfffff)
	b = binary.BigEndian.AppendUint16(b, uint16(n))
	b = append(b, proto, k.ttl())
	b = append(b, k.IPSrc[:]...)
	return append(b, k.IPDst[:]...)
}
