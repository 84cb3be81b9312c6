package packet

import "encoding/binary"

// Checksum is the Internet checksum of b (RFC 1071): what is written into a checksum field that is
// 0 in b; and 0 where b holds a right one.
func Checksum(b []byte) uint16 { return fold(sumBytes(0, b)) }

// sumBytes adds b to a ones' complement sum, an odd last byte padded with 0. The sum cannot
// overflow before 2^31 words of 32 bits.
func sumBytes(sum uint64, b []byte) uint64 {
	for ; len(b) >= 16; b = b[16:] {
		v, w := binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
		sum += v>>32 + v&0xffff_ffff + w>>32 + w&0xffff_ffff
	}
	for len(b) >= 4 {
		sum += uint64(binary.BigEndian.Uint32(b))
		b = b[4:]
	}
	if len(b) >= 2 {
		sum += uint64(binary.BigEndian.Uint16(b))
		b = b[2:]
	}
	if len(b) == 1 {
		sum += uint64(b[0]) << 8
	}
	return sum
}

// fold brings a sum to 16 bits and complements it.
func fold(sum uint64) uint16 {
	for sum>>16 != 0 {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
