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
