package referee

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
)

// Messages of OpenFlow 1.3 that are read here (ofp_type, 7.1.1), and the length of what is read of one: a header, a
// role, four bytes of padding and a generation (7.3.9).
const (
	typeError       = 1
	typeRoleRequest = 24
	typeRoleReply   = 25

	headerLen = 8
	roleLen   = headerLen + 4 + 4 + 8
)

// message is the beginning of one.
type message struct {
	kind       uint8
	xid        uint32
	role       openflow.Role // of requests for roles, and their answers
	generation uint64
}

// scanner finds the messages in the bytes of one direction of a connection, which come in pieces of any length.
type scanner struct {
	head [roleLen]byte
	have int // bytes of head
	skip int // bytes of the message that are to come, and are not looked at
	lost bool
}

// feed calls f with each message whose beginning has come.
func (s *scanner) feed(b []byte, f func(message)) {
	for len(b) > 0 && !s.lost {
		if s.skip > 0 {
			n := min(s.skip, len(b))
			s.skip, b = s.skip-n, b[n:]
			continue
		}
		want := headerLen
		if s.have >= headerLen {
			want = s.want()
		}
		n := copy(s.head[s.have:want], b)
		s.have, b = s.have+n, b[n:]
		if s.have < headerLen {
			return
		}
		if s.length() < headerLen { // no OpenFlow, or no longer in step with it
			s.lost = true
			return
		}
		if s.have == s.want() {
			f(s.message())
			s.skip, s.have = s.length()-s.have, 0
		}
	}
}

func (s *scanner) length() int { return int(binary.BigEndian.Uint16(s.head[2:])) }

// want is how much is read of the message that has begun.
func (s *scanner) want() int {
	if t := s.head[1]; t == typeRoleRequest || t == typeRoleReply {
		return min(s.length(), roleLen)
	}
	return headerLen
}

func (s *scanner) message() message {
	m := message{kind: s.head[1], xid: binary.BigEndian.Uint32(s.head[4:])}
	if s.have == roleLen {
		m.role = openflow.Role(binary.BigEndian.Uint32(s.head[8:]))
		m.generation = binary.BigEndian.Uint64(s.head[16:])
	}
	return m
}
