package ofcase

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
)

// frames draws frames which satisfy a match, as far as that names fields that they have. Checksums
// are right; lengths are, unless odd frames are asked for.
type frames struct {
	draws
	like openflow.Match
}

// frame draws a frame and where it comes in.
func (g frames) frame() (port uint32, frame []byte) {
	port = g.port()
	if p, ok := g.like.Uint(openflow.FieldInPort); ok {
		port = uint32(p)
	}
	dst, src := g.mac(), g.mac()
	if g.opt.Normal && g.one(12) {
		dst = [6]byte{0x01, 0x80, 0xc2, 0, 0, pick(g, []byte{0, 0x0e, 0x0f, 0x10})}
	}
	frame = append(append(frame, g.as(openflow.FieldEthDst, dst[:])...), g.as(openflow.FieldEthSrc, src[:])...)
	for n := g.tags(); n > 0; n-- {
		frame = binary.BigEndian.AppendUint16(frame, 0x8100)
		vid := g.as16(openflow.FieldVLANVID, pick(g, vids)) & 0xfff
		frame = binary.BigEndian.AppendUint16(frame, vid|uint16(g.as8(openflow.FieldVLANPCP, uint8(g.IntN(8))))<<13)
	}
	frame = g.payload(frame)
	for g.one(2) && len(frame) < 60 {
		frame = append(frame, make([]byte, 60-len(frame))...)
	}
	if g.opt.Odd && g.one(20) {
		frame = frame[:14+g.IntN(len(frame)-13)]
	}
	return port, frame
}

// as is a drawn value of a field, but with the bits that the match g.like wants.
func (g frames) as(f openflow.Field, drawn []byte) []byte {
	value, mask, ok := g.like.Lookup(f)
	if !ok {
		return drawn
	}
	b := append([]byte{}, value...)
	for i := range mask {
		b[i] |= drawn[i] &^ mask[i]
	}
	return b
}

// as8 is as for a field of one byte, as16 for one of two.
func (g frames) as8(f openflow.Field, drawn uint8) uint8 { return g.as(f, []byte{drawn})[0] }

func (g frames) as16(f openflow.Field, drawn uint16) uint16 {
	return binary.BigEndian.Uint16(g.as(f, binary.BigEndian.AppendUint16(nil, drawn)))
}

// tags draws how many VLAN tags a frame has.
func (g frames) tags() int {
	if vid, ok := g.like.Uint(openflow.FieldVLANVID); ok {
		return int(vid >> 12)
	}
	switch n := g.IntN(12); {
	case n < 7:
		return 0
	case n < 11 || !g.opt.Odd:
		return 1
	}
	return 2
}

func (g frames) payload(b []byte) []byte {
	drawn := pick(g, []uint16{0x0806, 0x0806, 0x0800, 0x0800, 0x0800, 0x0800, 0x86dd, 0x86dd, 0x86dd, pick(g, types)})
	typ := g.as16(openflow.FieldEthType, drawn)
	b = binary.BigEndian.AppendUint16(b, typ)
	switch typ {
	case 0x0806:
		return g.arp(b)
	case 0x0800:
		return g.ipv4(b)
	case 0x86dd:
		return g.ipv6(b)
	}
	return append(b, "something else"...)
}

func (g frames) arp(b []byte) []byte {
	sha, spa, tha, tpa := g.mac(), g.ip4(), g.mac(), g.ip4()
	b = append(b, 0, 1, 8, 0, 6, 4)
	b = binary.BigEndian.AppendUint16(b, g.as16(openflow.FieldARPOp, uint16(1+g.IntN(2))))
	b = append(append(b, g.as(openflow.FieldARPSHA, sha[:])...), g.as(openflow.FieldARPSPA, spa[:])...)
	return append(append(b, g.as(openflow.FieldARPTHA, tha[:])...), g.as(openflow.FieldARPTPA, tpa[:])...)
}

func (g frames) trafficClass() uint8 {
	tos := g.tos()
	return g.as8(openflow.FieldIPDSCP, tos>>2)<<2 | g.as8(openflow.FieldIPECN, tos&3)
}

// sctp is a protocol whose checksum cannot be kept right when a fragment is changed.
const sctp = 132

func (g frames) ipv4(b []byte) []byte {
	from, to := g.ip4(), g.ip4()
	src, dst := g.as(openflow.FieldIPv4Src, from[:]), g.as(openflow.FieldIPv4Dst, to[:])
	proto, body := g.transport(false)
	var fragment uint16
	switch g.IntN(16) {
	case 0:
		if proto != sctp || g.opt.Odd {
			fragment = 0x2000 // the first of several
		}
	case 1:
		fragment, body = 185, []byte("later")
	case 2:
		fragment = 0x4000 // must not be fragmented
	}
	finish(body, proto, src, dst, fragment&0x3fff == 0)
	at := len(b)
	b = append(b, 0x45, g.trafficClass())
	b = binary.BigEndian.AppendUint16(b, uint16(20+len(body)))
	b = append(b, 0x12, 0x34)
	b = binary.BigEndian.AppendUint16(b, fragment)
	b = append(b, g.ttl(), proto, 0, 0)
	b = append(append(b, src...), dst...)
	binary.BigEndian.PutUint16(b[at+10:], sum(b[at:], 0))
	return append(b, body...)
}

func (g frames) ipv6(b []byte) []byte {
	from, to := g.ip6(), g.ip6()
	src, dst := g.as(openflow.FieldIPv6Src, from[:]), g.as(openflow.FieldIPv6Dst, to[:])
	proto, body := g.transport(true)
	finish(body, proto, src, dst, true)
	next := proto
	switch g.IntN(16) {
	case 0: // hop-by-hop options: padding
		body, next = append([]byte{proto, 0, 1, 4, 0, 0, 0, 0}, body...), 0
	case 1: // a fragment header: the first of several, or all of one
		more := pick(g, []byte{0, 1})
		if proto == sctp && !g.opt.Odd {
			more = 0
		}
		if !g.opt.Fragments6 && proto != 47 && proto != 89 {
			break
		}
		body, next = append([]byte{proto, 0, 0, more, 0, 0, 0, 7}, body...), 44
	}
	label := binary.BigEndian.AppendUint32(nil, pick(g, []uint32{0, 7, 0x12345}))
	label = g.as(openflow.FieldIPv6FLabel, label)
	b = binary.BigEndian.AppendUint32(b, 6<<28|uint32(g.trafficClass())<<20|binary.BigEndian.Uint32(label))
	b = binary.BigEndian.AppendUint16(b, uint16(len(body)))
	b = append(b, next, g.ttl())
	b = append(append(b, src...), dst...)
	return append(b, body...)
}

// transport draws a protocol above IP, its checksum 0.
func (g frames) transport(six bool) (proto uint8, body []byte) {
	icmp := uint8(1)
	if six {
		icmp = 58
	}
	proto = g.as8(openflow.FieldIPProto, pick(g, []uint8{6, 6, 6, 6, 17, 17, 17, 132, icmp, icmp, 47, 89}))
	src, dst := pick(g, ports), pick(g, ports)
	if fields, ok := portFields[proto]; ok {
		src, dst = g.as16(fields[0], src), g.as16(fields[1], dst)
	}
	b := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, src), dst)
	switch proto {
	case 6:
		b = append(b, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, pick(g, []byte{2, 0x10, 0x18}), 1, 0, 0, 0, 0, 0)
		return proto, append(b, "data"...)
	case 17:
		return proto, append(append(b, 0, 12, 0, 0), "data"...)
	case 132:
		return proto, append(b, 0, 0, 0, 1, 0, 0, 0, 0)
	case 1:
		typ := g.as8(openflow.FieldICMPv4Type, pick(g, []byte{0, 8, 3}))
		return proto, []byte{typ, g.as8(openflow.FieldICMPv4Code, pick(g, []byte{0, 0, 1})), 0, 0, 0, 1, 0, 1, 'p', 'i', 'n', 'g'}
	case 58:
		return proto, g.icmp6()
	}
	return proto, b
}

// icmp6 draws an ICMPv6 message, most often of neighbour discovery.
func (g frames) icmp6() []byte {
	typ := g.as8(openflow.FieldICMPv6Type, pick(g, []byte{135, 135, 136, 128, 129}))
	b := []byte{typ, g.as8(openflow.FieldICMPv6Code, 0), 0, 0, 0, 0, 0, 0}
	if typ < 135 {
		return append(b, "ping"...)
	}
	target, address := g.ip6(), g.mac()
	b = append(b, g.as(openflow.FieldIPv6NDTarget, target[:])...)
	if g.one(4) {
		return b
	}
	return append(append(b, typ-134, 1), g.as(ndOption[typ], address[:])...)
}

// finish fills in the checksum of a protocol, if the body is whole.
func finish(body []byte, proto uint8, src, dst []byte, whole bool) {
	at := map[uint8]int{6: 16, 17: 6, 1: 2, 58: 2}[proto]
	if at == 0 || !whole {
		return
	}
	var pseudo uint32
	if proto != 1 {
		pseudo = uint32(proto) + uint32(len(body))
		for _, a := range [][]byte{src, dst} {
			for i := 0; i < len(a); i += 2 {
				pseudo += uint32(a[i])<<8 | uint32(a[i+1])
			}
		}
	}
	s := sum(body, pseudo)
	if s == 0 && proto == 17 {
		s = 0xffff
	}
	binary.BigEndian.PutUint16(body[at:], s)
}

// sum is the Internet checksum (RFC 1071) of bytes and what is added to them.
func sum(b []byte, s uint32) uint16 {
	for ; len(b) > 1; b = b[2:] {
		s += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) == 1 {
		s += uint32(b[0]) << 8
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return ^uint16(s)
}
