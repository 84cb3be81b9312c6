package packet

import "encoding/binary"

// ipv6FragmentLen is the length of IPv6's fragment header, in bytes.
const ipv6FragmentLen = 8

// Part is an IP packet as a part of the packet before fragmentation. A packet that is not a fragment
// is a part with offset 0 and no more after it.
type Part struct {
	Src, Dst Addr
	Proto    uint8  // of the whole packet's payload
	ID       uint32 // identification, which all parts of a packet share; 0 in IPv6 without a fragment header
	Offset   int    // of the payload in the whole packet, in bytes
	Len      int    // of the payload as the header has it, in bytes
	More     bool   // this is not the last part
	// Payload is what follows the IP header and the extension headers that are not fragmented, as
	// far as it is there.
	Payload []byte
}

// Whole reports whether the packet is not a fragment.
func (p *Part) Whole() bool { return p.Offset == 0 && !p.More }

// ParsePart reads an IP packet of an EtherType. ok is false for another type, and where the headers
// are cut or contradict themselves.
func ParsePart(etherType uint16, b []byte) (p Part, ok bool) {
	switch etherType {
	case TypeIPv4:
		return partOf4(IPv4(b))
	case TypeIPv6:
		return partOf6(IPv6(b))
	}
	return p, false
}

func partOf4(ip IPv4) (p Part, ok bool) {
	if !ip.Valid() {
		return p, false
	}
	return Part{Src: ip.Src(), Dst: ip.Dst(), Proto: ip.Proto(), ID: uint32(ip.ID()), Offset: ip.FragmentOffset(),
		Len: int(ip.TotalLen()) - ip.HeaderLen(), More: ip.MoreFragments(), Payload: ip.Payload()}, true
}

// partOf6 skips extension headers up to the fragment header and, in the first part, those after it.
func partOf6(ip IPv6) (p Part, ok bool) {
	if !ip.Valid() {
		return p, false
	}
	p = Part{Src: ip.Src(), Dst: ip.Dst(), Proto: ip.NextHeader(), Len: int(ip.PayloadLen()),
		Payload: ip[IPv6Len:min(IPv6Len+int(ip.PayloadLen()), len(ip))]}
	for n := 0; isExtension(p.Proto) && p.Offset == 0; n++ {
		b := p.Payload
		if n == MaxExtensions || len(b) < ipv6FragmentLen {
			return Part{}, false
		}
		size := (int(b[1]) + 1) * 8
		switch p.Proto {
		case ProtoAH:
			size = (int(b[1]) + 2) * 4 // RFC 4302, 2.2
		case ProtoFragment:
			size = ipv6FragmentLen
			field := binary.BigEndian.Uint16(b[2:4])
			p.ID, p.Offset, p.More = binary.BigEndian.Uint32(b[4:8]), int(field&^7), field&1 != 0
		}
		if size > len(b) {
			return Part{}, false
		}
		p.Proto, p.Payload, p.Len = b[0], b[size:], p.Len-size
	}
	return p, true
}

// AppendFragments cuts the frame of an IP packet, without IPv4 options or IPv6 extension headers, as
// AppendUDP and its like make it, into frames whose IP packets are at most mtu bytes long, and
// appends them to list. A packet that is short enough stays as it is, and the frame is not copied.
// ok is false for a frame that is no such packet, and an mtu without room for eight bytes.
func AppendFragments(list [][]byte, frame []byte, mtu int, id uint32) (frames [][]byte, ok bool) {
	_, _, _, etherType, at, ok := ParseEthernet(frame)
	if !ok || len(frame)-at < IPv4Len {
		return list, false
	}
	if len(frame)-at <= mtu {
		return append(list, frame), true
	}
	header := at + IPv4Len
	room := (mtu - IPv4Len) &^ 7
	if etherType == TypeIPv6 {
		header, room = at+IPv6Len, (mtu-IPv6Len-ipv6FragmentLen)&^7
	} else if etherType != TypeIPv4 {
		return list, false
	}
	if room < 8 || len(frame) < header {
		return list, false
	}
	for offset, payload := 0, frame[header:]; len(payload) > 0; {
		n := min(room, len(payload))
		list = append(list, fragment(frame[:header], at, payload[:n], offset, n < len(payload), id))
		offset, payload = offset+n, payload[n:]
	}
	return list, true
}

// fragment makes one: of the headers of the whole packet, of which IP's begins at at.
func fragment(headers []byte, at int, payload []byte, offset int, more bool, id uint32) []byte {
	f := append(make([]byte, 0, len(headers)+ipv6FragmentLen+len(payload)), headers...)
	if headers[at]>>4 == 6 {
		field := uint16(offset)
		if more {
			field |= 1
		}
		f = append(f, f[at+6], 0)
		f = binary.BigEndian.AppendUint16(f, field)
		f = binary.BigEndian.AppendUint32(f, id)
		f[at+6] = ProtoFragment
		binary.BigEndian.PutUint16(f[at+4:], uint16(ipv6FragmentLen+len(payload)))
		return append(f, payload...)
	}
	field := uint16(offset / 8)
	if more {
		field |= 0x2000
	}
	ip := f[at:]
	binary.BigEndian.PutUint16(ip[2:], uint16(IPv4Len+len(payload)))
	binary.BigEndian.PutUint16(ip[4:], uint16(id))
	binary.BigEndian.PutUint16(ip[6:], field)
	binary.BigEndian.PutUint16(ip[10:], 0)
	binary.BigEndian.PutUint16(ip[10:], Checksum(ip))
	return append(f, payload...)
}
