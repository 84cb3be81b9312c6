package flowtable_test

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/weirnet/weir/openflow"
)

// layout is where things are in a frame; 0 is nowhere.
type layout struct {
	tag, etherType int // of the first tag; of the type after all tags
	net            int // header of ARP or IP
	four, six, arp bool
	proto          uint8
	transport      int // its header, in packets that are whole and in first fragments
	sum            int // its checksum
	end            int // of the transport, without padding
}

func layoutOf(b []byte) (l layout) {
	l.etherType = 12
	for binary.BigEndian.Uint16(b[l.etherType:]) == 0x8100 {
		if l.tag == 0 {
			l.tag = 12
		}
		l.etherType += 4
	}
	l.net = l.etherType + 2
	switch binary.BigEndian.Uint16(b[l.etherType:]) {
	case 0x0806:
		l.arp = true
	case 0x0800:
		l.four, l.proto, l.end = true, b[l.net+9], l.net+int(binary.BigEndian.Uint16(b[l.net+2:]))
		if binary.BigEndian.Uint16(b[l.net+6:])&0x1fff == 0 {
			l.transport = l.net + 20
		}
	case 0x86dd:
		l.six, l.proto, l.end, l.transport = true, b[l.net+6], l.net+40+int(binary.BigEndian.Uint16(b[l.net+4:])), l.net+40
		for l.proto == 0 || l.proto == 44 {
			l.proto, l.transport = b[l.transport], l.transport+8
		}
	}
	if at, ok := map[uint8]int{6: 16, 17: 6, 58: 2}[l.proto]; ok && l.transport != 0 {
		l.sum = l.transport + at
	}
	return l
}

// ports10 are the fields that OpenFlow 1.0 sets in UDP as well: it has one action for the ports of
// both.
var ports10 = map[openflow.Field]openflow.Field{
	openflow.FieldTCPSrc: openflow.FieldUDPSrc, openflow.FieldTCPDst: openflow.FieldUDPDst,
}

// edit10 is edit for the actions of OpenFlow 1.0.
func edit10(b []byte, a openflow.Action) []byte {
	if f, value, ok := a.Field(); ok {
		if udp, ok := ports10[f]; ok && layoutOf(b).proto == 17 {
			a = openflow.SetFieldBytes(udp, value)
		}
	}
	return edit(b, a)
}

// edit does an action that changes a frame, if it can.
func edit(b []byte, a openflow.Action) []byte {
	l := layoutOf(b)
	switch a.Type {
	case openflow.ActionPushVLAN:
		tci := make([]byte, 2)
		if l.tag != 0 {
			copy(tci, b[l.tag+2:])
		}
		return slices.Insert(b, 12, byte(a.EtherType>>8), byte(a.EtherType), tci[0], tci[1])
	case openflow.ActionPopVLAN:
		if l.tag != 0 {
			return slices.Delete(b, 12, 16)
		}
	case openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP:
		if l.tag == 0 {
			b = slices.Insert(b, 12, 0x81, 0, 0, 0)
		}
		tci := binary.BigEndian.Uint16(b[14:])
		if a.Type == openflow.ActionSetVLANVID {
			tci = tci&0xf000 | uint16(a.ID)
		} else {
			tci = tci&0x1fff | uint16(a.ID)<<13
		}
		binary.BigEndian.PutUint16(b[14:], tci)
	case openflow.ActionSetNwTTL:
		setTTL(b, l, a.TTL)
	case openflow.ActionSetField:
		if f, value, ok := a.Field(); ok {
			setField(b, l, f, value)
		}
	}
	return b
}

// decrement takes one away from the time to live; a packet that has none left goes to the
// controller, and nowhere else.
func (p *twinPacket) decrement() {
	l := layoutOf(p.frame)
	at := 0
	switch {
	case l.four:
		at = l.net + 8
	case l.six:
		at = l.net + 7
	default:
		return
	}
	if p.frame[at] <= 1 {
		p.packetIn(openflow.ReasonBadTTL)
		p.stopped = true
		return
	}
	setTTL(p.frame, l, p.frame[at]-1)
}

func setTTL(b []byte, l layout, ttl uint8) {
	switch {
	case l.four:
		put(b, l.net+8, []byte{ttl}, l.net+10)
	case l.six:
		b[l.net+7] = ttl
	}
}

// put writes bytes and changes the checksums at the places accordingly (RFC 1624); place 0 is none.
func put(b []byte, at int, value []byte, sums ...int) {
	even := func(i int) uint32 { // the 16 bits of which byte i is a part: headers begin at even places in all our frames
		return uint32(binary.BigEndian.Uint16(b[i&^1:]))
	}
	for i, v := range value {
		was := even(at + i)
		b[at+i] = v
		for _, place := range sums {
			if place == 0 {
				continue
			}
			s := uint32(^binary.BigEndian.Uint16(b[place:])) + uint32(^uint16(was)) + even(at+i)
			for s > 0xffff {
				s = s>>16 + s&0xffff
			}
			binary.BigEndian.PutUint16(b[place:], ^uint16(s))
		}
	}
}

// transportSum is the place of the transport's checksum if it is used: UDP may go without.
func transportSum(b []byte, l layout) int {
	if l.sum != 0 && l.proto == 17 && binary.BigEndian.Uint16(b[l.sum:]) == 0 {
		return 0
	}
	return l.sum
}

// places of the fields of ARP and of neighbour discovery, after the beginning of their header.
var arpPlaces = map[openflow.Field]int{
	openflow.FieldARPOp: 6, openflow.FieldARPSHA: 8, openflow.FieldARPSPA: 14, openflow.FieldARPTHA: 18, openflow.FieldARPTPA: 24,
}

func setField(b []byte, l layout, f openflow.Field, value []byte) {
	sum := transportSum(b, l)
	defer func() {
		if sum != 0 && l.proto == 17 && binary.BigEndian.Uint16(b[sum:]) == 0 {
			binary.BigEndian.PutUint16(b[sum:], 0xffff)
		}
	}()
	switch f {
	case openflow.FieldEthDst:
		copy(b, value)
	case openflow.FieldEthSrc:
		copy(b[6:], value)
	case openflow.FieldVLANVID:
		if l.tag != 0 {
			b[14] = b[14]&0xf0 | value[0]&0x0f
			b[15] = value[1]
		}
	case openflow.FieldVLANPCP:
		if l.tag != 0 {
			b[14] = b[14]&0x1f | value[0]<<5
		}
	case openflow.FieldARPOp, openflow.FieldARPSHA, openflow.FieldARPSPA, openflow.FieldARPTHA, openflow.FieldARPTPA:
		if l.arp {
			copy(b[l.net+arpPlaces[f]:], value)
		}
	case openflow.FieldIPv4Src, openflow.FieldIPv4Dst:
		if l.four {
			put(b, l.net+12+4*int(f-openflow.FieldIPv4Src), value, l.net+10, sum)
		}
	case openflow.FieldIPv6Src, openflow.FieldIPv6Dst:
		if l.six {
			put(b, l.net+8+16*int(f-openflow.FieldIPv6Src), value, sum)
		}
	case openflow.FieldIPv6FLabel:
		if l.six {
			b[l.net+1] = b[l.net+1]&0xf0 | value[1]&0x0f
			copy(b[l.net+2:], value[2:])
		}
	case openflow.FieldIPDSCP, openflow.FieldIPECN:
		setClass(b, l, f, value[0])
	default:
		setTransport(b, l, f, value, sum)
	}
}

// setClass sets a part of the type of service, or traffic class.
func setClass(b []byte, l layout, f openflow.Field, value uint8) {
	change := func(old uint8) uint8 {
		if f == openflow.FieldIPDSCP {
			return old&3 | value<<2
		}
		return old&^3 | value
	}
	switch {
	case l.four:
		put(b, l.net+1, []byte{change(b[l.net+1])}, l.net+10)
	case l.six:
		class := change(b[l.net]<<4 | b[l.net+1]>>4)
		b[l.net], b[l.net+1] = b[l.net]&0xf0|class>>4, b[l.net+1]&0x0f|class<<4
	}
}

// portPlace are the protocol of a field and the place of its port.
var portPlace = map[openflow.Field][2]int{
	openflow.FieldTCPSrc: {6, 0}, openflow.FieldTCPDst: {6, 2}, openflow.FieldUDPSrc: {17, 0}, openflow.FieldUDPDst: {17, 2},
	openflow.FieldSCTPSrc: {132, 0}, openflow.FieldSCTPDst: {132, 2},
}

func setTransport(b []byte, l layout, f openflow.Field, value []byte, sum int) {
	if l.transport == 0 {
		return
	}
	if place, ok := portPlace[f]; ok && int(l.proto) == place[0] {
		before := crc(b[l.transport:l.end])
		put(b, l.transport+place[1], value, sum)
		if l.proto == 132 { // what was wrong of the old checksum stays wrong
			old := binary.LittleEndian.Uint32(b[l.transport+8:])
			binary.LittleEndian.PutUint32(b[l.transport+8:], old^before^crc(b[l.transport:l.end]))
		}
		return
	}
	if l.proto != 58 || b[l.transport] != 135 && b[l.transport] != 136 {
		return
	}
	option := l.transport + 24
	switch f {
	case openflow.FieldIPv6NDTarget:
		put(b, l.transport+8, value, sum)
	case openflow.FieldIPv6NDSLL, openflow.FieldIPv6NDTLL:
		if l.end >= option+8 && b[option] == 1+byte(f-openflow.FieldIPv6NDSLL) {
			put(b, option+2, value, sum)
		}
	}
}

// crc is the checksum of SCTP (RFC 4960), its own place taken as 0.
func crc(b []byte) uint32 {
	c := slices.Clone(b)
	clear(c[8:12])
	return crc32.Checksum(c, crc32.MakeTable(crc32.Castagnoli))
}
