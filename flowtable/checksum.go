package flowtable

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/weirnet/weir/packet"
)

// sumDelta is what the Internet checksum of something changes by when from becomes to, both of the
// same even length: the ones' complement sum of to and of the complement of from (RFC 1624).
func sumDelta(sum uint32, from, to []byte) uint32 {
	for i := 0; i+1 < len(from); i += 2 {
		sum += uint32(^binary.BigEndian.Uint16(from[i:])) + uint32(binary.BigEndian.Uint16(to[i:]))
	}
	return sum
}

// addDelta changes the checksum at b by a delta.
func addDelta(b []byte, delta uint32) {
	sum := uint32(^binary.BigEndian.Uint16(b)) + delta
	for sum>>16 != 0 {
		sum = sum>>16 + sum&0xffff
	}
	binary.BigEndian.PutUint16(b, ^uint16(sum))
}

// headers are the places of the headers of a frame, 0 where there is none.
type headers struct {
	l3, l4 int
	ipv6   bool
	proto  uint8 // of l4
	end    int   // of the IP packet, in the frame
	source bool  // a routing header stands in for the destination: checksums do not cover it
}

// locate finds the headers of the packet as it is now.
func (p *pass) locate() (h headers) {
	if p.stale {
		p.read()
	}
	k := &p.fields
	if k.Layers&(packet.LayerIPv4|packet.LayerIPv6|packet.LayerARP) == 0 {
		return h
	}
	_, _, _, _, h.l3, _ = packet.ParseEthernet(p.frame)
	switch {
	case k.Layers&packet.LayerIPv4 != 0:
		ip := packet.IPv4(p.frame[h.l3:])
		h.l4, h.end, h.proto = h.l3+ip.HeaderLen(), h.l3+int(ip.TotalLen()), k.IPProto
	case k.Layers&packet.LayerIPv6 != 0:
		ip := packet.IPv6(p.frame[h.l3:])
		h.ipv6, h.end, h.proto = true, h.l3+packet.IPv6Len+int(ip.PayloadLen()), k.IPProto
		_, payload, ok := ip.Payload()
		if h.l4 = min(h.end, len(p.frame)) - len(payload); !ok {
			h.l4 = 0
		}
		h.source = h.l4 != 0 && routed(p.frame[h.l3:h.l4])
	}
	h.end = min(h.end, len(p.frame))
	const transports = packet.LayerTCP | packet.LayerUDP | packet.LayerSCTP | packet.LayerICMPv4 | packet.LayerICMPv6
	if k.Layers&transports == 0 {
		h.l4 = 0
	}
	return h
}

// routed reports whether one of the extension headers of an IPv6 packet, b without its payload, is
// a routing header with segments left.
func routed(b []byte) bool {
	next := b[6]
	for at := packet.IPv6Len; at+8 <= len(b); {
		if next == packet.ProtoRouting {
			return b[at+3] != 0
		}
		size := packet.ExtensionLen(next, b[at:])
		next = b[at]
		at += size
	}
	return false
}

// checksumAt is where the Internet checksum of the transport is, and whether it covers the IP
// addresses; 0 if there is none to keep right.
func (h *headers) checksumAt(frame []byte) (at int, pseudo bool) {
	if h.l4 == 0 {
		return 0, false
	}
	switch h.proto {
	case packet.ProtoTCP:
		at, pseudo = h.l4+16, true
	case packet.ProtoUDP:
		at, pseudo = h.l4+6, true
		if at+2 <= len(frame) && binary.BigEndian.Uint16(frame[at:]) == 0 {
			return 0, false // RFC 768: the sender made none
		}
	case packet.ProtoICMPv4:
		at = h.l4 + 2
	case packet.ProtoICMPv6:
		at, pseudo = h.l4+2, true
	}
	if at == 0 || at+2 > h.end {
		return 0, false
	}
	return at, pseudo
}

// fixTransport brings the transport's checksum up to date after a change by delta: of its own
// header, or, if pseudo, of the addresses.
func (h *headers) fixTransport(frame []byte, delta uint32, pseudo bool) {
	at, covers := h.checksumAt(frame)
	if at == 0 || pseudo && !covers {
		return
	}
	addDelta(frame[at:], delta)
	if h.proto == packet.ProtoUDP && binary.BigEndian.Uint16(frame[at:]) == 0 {
		frame[at], frame[at+1] = 0xff, 0xff // RFC 768: 0 would say that there is none
	}
}

var noCRC [4]byte

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fixSCTP brings the CRC of an SCTP packet up to date with what it was changed by: the CRC is
// linear, so that a wrong one stays wrong. before is what the right one was.
func fixSCTP(b []byte, before uint32) {
	had := binary.LittleEndian.Uint32(b[8:])
	binary.LittleEndian.PutUint32(b[8:], had^before^sctpCRC(b))
}

// sctpCRC is the right CRC of an SCTP packet (RFC 9260, appendix A): its own field counts as 0.
func sctpCRC(b []byte) uint32 {
	sum := crc32.Update(0, castagnoli, b[:8])
	sum = crc32.Update(sum, castagnoli, noCRC[:])
	return crc32.Update(sum, castagnoli, b[packet.SCTPLen:])
}
