package packet

// Kinds of TCP options.
const (
	TCPOptEnd         uint8 = 0
	TCPOptNop         uint8 = 1 // fills up to a multiple of four bytes
	TCPOptMSS         uint8 = 2 // largest segment: 2 bytes
	TCPOptWindowScale uint8 = 3 // by how many bits windows are shifted: 1 byte
)

// NextTCPOption takes the first option off b, skipping those that fill; value is what follows its
// kind and length. ok is false at the end of the list, or where an option is longer than what is
// there.
func NextTCPOption(b []byte) (kind uint8, value, rest []byte, ok bool) {
	for len(b) > 0 && b[0] == TCPOptNop {
		b = b[1:]
	}
	if len(b) < 2 || b[0] == TCPOptEnd || int(b[1]) < 2 || int(b[1]) > len(b) {
		return 0, nil, nil, false
	}
	return b[0], b[2:b[1]], b[b[1]:], true
}
