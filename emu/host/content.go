package host

import "encoding/binary"

// Content fills b with the content of every stream from offset on. It does not repeat within any
// window, so a receiver can check each byte's place without having seen the others.
func Content(b []byte, offset uint64) {
	for len(b) > 0 && (offset%8 != 0 || len(b) < 8) {
		b[0] = byte(contentWord(offset/8) >> (offset % 8 * 8))
		b, offset = b[1:], offset+1
	}
	for ; len(b) >= 8; b, offset = b[8:], offset+8 {
		binary.LittleEndian.PutUint64(b, contentWord(offset/8))
	}
	if len(b) > 0 {
		Content(b, offset)
	}
}

// contentWord is bytes 8n to 8n+7 of a stream, the first one lowest: a multiplicative hash of n
// (Fibonacci hashing), mixed once.
func contentWord(n uint64) uint64 {
	n = (n + 1) * 0x9e3779b97f4a7c15
	return n ^ n>>32
}

// misplaced counts the bytes of b that differ from Content at offset.
func misplaced(b []byte, offset uint64) (wrong uint64) {
	for len(b) > 0 {
		if offset%8 == 0 && len(b) >= 8 && binary.LittleEndian.Uint64(b) == contentWord(offset/8) {
			b, offset = b[8:], offset+8
			continue
		}
		if b[0] != byte(contentWord(offset/8)>>(offset%8*8)) {
			wrong++
		}
		b, offset = b[1:], offset+1
	}
	return wrong
}
