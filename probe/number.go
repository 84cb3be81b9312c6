package probe

import "encoding/binary"

// mark is how the payload of a numbered datagram begins.
const mark = "weir-num"

// NumberLen is how many bytes a number takes.
const NumberLen = len(mark) + 8

// PutNumber writes a number at the beginning of a datagram's payload, of NumberLen bytes at least.
// Its complement follows, so UDP's checksum is the same for all numbers.
func PutNumber(payload []byte, n uint32) {
	copy(payload, mark)
	binary.BigEndian.PutUint32(payload[len(mark):], n)
	binary.BigEndian.PutUint32(payload[len(mark)+4:], ^n)
}

// number reads it; false where there is none, or it is damaged.
func number(payload []byte) (n uint32, ok bool) {
	if len(payload) < NumberLen || string(payload[:len(mark)]) != mark {
		return 0, false
	}
	n = binary.BigEndian.Uint32(payload[len(mark):])
	return n, binary.BigEndian.Uint32(payload[len(mark)+4:]) == ^n
}
