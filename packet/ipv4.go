package packet

import "encoding/binary"

// IPv4Len is the length of an IPv4 header without options, in bytes.
const IPv4Len = 20

// IPv4 is a view of an IPv4 packet; padding of the frame may follow it.
type IPv4 []byte

// Valid reports whether version and lengths agree: the header is there with its options, and the
// total length covers it. The payload may still be cut: TotalLen may exceed len(p).
func (p IPv4) Valid() bool {
	if len(p) < IPv4Len || p[0]>>4 != 4 {
		return false
	}
	hdr := p.HeaderLen()
	return hdr >= IPv4Len && hdr <= len(p) && hdr <= int(p.TotalLen())
}

// HeaderLen is the length of header and options, in bytes.
func (p IPv4) HeaderLen() int { return int(p[0]&15) * 4 }

// TotalLen is the length of the packet as the header has it, in bytes.
func (p IPv4) TotalLen() uint16 { return binary.BigEndian.Uint16(p[2:4]) }

// ID is the identification that fragments of one packet share.
func (p IPv4) ID() uint16 { return binary.BigEndian.Uint16(p[4:6]) }

// FragmentOffset is the place of the payload in the packet before fragmentation, in bytes.
func (p IPv4) FragmentOffset() int { return int(binary.BigEndian.Uint16(p[6:8])&0x1fff) * 8 }

// MoreFragments reports whether this is not the last fragment.
func (p IPv4) MoreFragments() bool { return p[6]&0x20 != 0 }

// TTL is the time to live.
func (p IPv4) TTL() uint8 { return p[8] }

// Proto is the protocol of the payload.
func (p IPv4) Proto() uint8 { return p[9] }

// Src is the source address.
func (p IPv4) Src() Addr { return AddrFrom4([4]byte(p[12:16])) }

// Dst is the destination address.
func (p IPv4) Dst() Addr { return AddrFrom4([4]byte(p[16:20])) }

// ChecksumOK reports whether the header's checksum is right.
func (p IPv4) ChecksumOK() bool { return Checksum(p[:p.HeaderLen()]) == 0 }

// Payload is what follows the header, without the frame's padding, as far as it is there.
func (p IPv4) Payload() []byte { return p[p.HeaderLen():min(int(p.TotalLen()), len(p))] }

// appendIPv4 appends a header with "don't fragment" set and no options, for n bytes of payload.
func appendIPv4(b []byte, k *Key, proto uint8, n int) []byte {
	at := len(b)
	b = append(b, 0x45, k.DSCP<<2|k.ECN&3)
	b = binary.BigEndian.AppendUint16(b, uint16(IPv4Len+n))
	b = append(b, 0, 0, 0x40, 0, k.ttl(), proto, 0, 0)
	b = append(b, k.IPSrc[12:]...)
	b = append(b, k.IPDst[12:]...)
	binary.BigEndian.PutUint16(b[at+10:], Checksum(b[at:]))
	return b
}
