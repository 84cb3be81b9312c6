package host

import (
	"encoding/binary"
	"time"
)

// stampLen is the length of a stamp, in bytes: the least payload of echo requests and datagrams.
const stampLen = 24

// stampMark begins a stamp.
const stampMark = 0x57656972

// stamp is the start of a payload that is measured.
type stamp struct {
	id   uint32        // of the flow or ping, among those of its host
	seq  uint64        // from 0
	sent time.Duration // the intended time, by the clock of the network
}

// maxSkew is how far in the future the time of a stamp may be, since concurrent engines of a
// network have read the clock at different times; the latency then counts as 0. Beyond it the
// payload has no stamp of ours.
const maxSkew = time.Second

func (s *stamp) put(b []byte) {
	binary.BigEndian.PutUint32(b, stampMark)
	binary.BigEndian.PutUint32(b[4:], s.id)
	binary.BigEndian.PutUint64(b[8:], s.seq)
	binary.BigEndian.PutUint64(b[16:], uint64(s.sent))
}

// readStamp parses a stamp; ok is false if there is none.
func readStamp(b []byte) (s stamp, ok bool) {
	if len(b) < stampLen || binary.BigEndian.Uint32(b) != stampMark {
		return stamp{}, false
	}
	return stamp{id: binary.BigEndian.Uint32(b[4:]), seq: binary.BigEndian.Uint64(b[8:]),
		sent: time.Duration(binary.BigEndian.Uint64(b[16:]))}, true
}
