package packet

import "encoding/binary"

// Lengths of headers, in bytes.
const (
	EthernetLen = 14 // destination, source, type
	VLANTagLen  = 4  // TPID and TCI
)

// EtherTypes.
const (
	TypeNone uint16 = 0x05ff // what OpenFlow calls a frame with an 802.3 length and no SNAP type (OFP_DL_TYPE_NOT_ETH_TYPE)
	TypeIPv4 uint16 = 0x0800
	TypeARP  uint16 = 0x0806
	TypeRARP uint16 = 0x8035
	TypeVLAN uint16 = 0x8100 // 802.1Q, customer tag
	TypeIPv6 uint16 = 0x86dd
	TypeMPLS uint16 = 0x8847
	TypeQinQ uint16 = 0x88a8 // 802.1ad, service tag
	TypeLLDP uint16 = 0x88cc

	typeMin = 0x0600 // below it the field is a length
)

// Values of the vlan that ParseEthernet and Key give and builders take: 0 is untagged; a tag is
// VLANPresent plus its id, so that a priority tag (id 0) is not untagged. The same as OXM vlan_vid.
const (
	VLANPresent uint16 = 0x1000
	VLANMask    uint16 = 0x0fff
)

// Ethernet is a whole frame without its check sequence, as text.
type Ethernet []byte

// ParseEthernet reads the header of a frame and up to two VLAN tags, for fast paths. Addresses are
// numbers as MAC.Uint64 gives them; vlan is the outer tag (see VLANPresent); etherType is the one
// after the tags, TypeNone where there is none; payload is the offset after it.
//
// ok is false when the frame ends inside of it: then all results are 0.
func ParseEthernet(frame []byte) (dst, src uint64, vlan, etherType uint16, payload int, ok bool) {
	if len(frame) < EthernetLen {
		return 0, 0, 0, 0, 0, false
	}
	dst = binary.BigEndian.Uint64(frame[0:8]) >> 16
	src = binary.BigEndian.Uint64(frame[4:12]) & 0xffff_ffff_ffff
	etherType = binary.BigEndian.Uint16(frame[12:14])
	if etherType >= typeMin && etherType != TypeVLAN && etherType != TypeQinQ {
		return dst, src, 0, etherType, EthernetLen, true
	}
	t := parseTags(frame)
	if !t.ok {
		return 0, 0, 0, 0, 0, false
	}
	return dst, src, t.vlan, t.etherType, t.end, true
}

// tags is what follows the addresses of a frame.
type tags struct {
	vlan, inner uint16
	pcp         uint8
	etherType   uint16
	end         int
	ok          bool // false: the frame ends inside a tag; vlan and inner then hold the whole tags before it
}

// parseTags reads type and tags; the frame has at least EthernetLen bytes.
func parseTags(frame []byte) tags {
	t := tags{etherType: binary.BigEndian.Uint16(frame[12:14]), end: EthernetLen}
	for n := 0; n < 2 && isTPID(t.etherType); n++ {
		if len(frame) < t.end+VLANTagLen {
			return t
		}
		tci := binary.BigEndian.Uint16(frame[t.end:])
		if n == 0 {
			t.vlan, t.pcp = VLANPresent|tci&VLANMask, uint8(tci>>13)
		} else {
			t.inner = VLANPresent | tci&VLANMask
		}
		t.etherType = binary.BigEndian.Uint16(frame[t.end+2:])
		t.end += VLANTagLen
	}
	t.ok = true
	if t.etherType < typeMin {
		t.etherType, t.end = snapType(frame, t.end)
	}
	return t
}

func isTPID(etherType uint16) bool { return etherType == TypeVLAN || etherType == TypeQinQ }

// snapType is the type that an 802.2 SNAP header with the Ethernet's OUI carries after an 802.3
// length, and the offset after the header.
func snapType(frame []byte, end int) (uint16, int) {
	const snapLen = 8
	if len(frame) < end+snapLen || binary.BigEndian.Uint64(frame[end:])>>16 != 0xaaaa03000000 {
		return TypeNone, end
	}
	if t := binary.BigEndian.Uint16(frame[end+6:]); t >= typeMin {
		return t, end + snapLen
	}
	return TypeNone, end + snapLen
}

// AppendEthernet appends a header; vlan 0 leaves the tag out (see VLANPresent), pcp is the tag's
// priority, 0 to 7.
func AppendEthernet(b []byte, dst, src MAC, vlan uint16, pcp uint8, etherType uint16) []byte {
	b = append(b, dst[:]...)
	b = append(b, src[:]...)
	if vlan != 0 {
		b = binary.BigEndian.AppendUint16(b, TypeVLAN)
		b = binary.BigEndian.AppendUint16(b, uint16(pcp&7)<<13|vlan&VLANMask)
	}
	return binary.BigEndian.AppendUint16(b, etherType)
}
