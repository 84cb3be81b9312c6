package session

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// errFrames is returned for bytes that are not as many whole messages as count.
var errFrames = errors.New("session: the bytes are not so many whole messages")

// SendFrames queues messages that have been encoded in the session's version, count of them one
// after the other, with transaction ids of its own in place of those in the bytes, and returns the
// first id: those of the others follow by one. The bytes are copied. All are queued or none:
// ErrFull if they do not fit, an error that wraps openflow.ErrVersion if they are of another
// version, or one that wraps ErrClosed. But for their headers they are not checked.
func (s *Session) SendFrames(frames []byte, count int) (uint32, error) {
	n := uint32(count)
	first := s.protocol.core.out.xid.Add(n) - n + 1
	return first, s.out.frames(frames, first, count)
}

// Gather has what is queued wait for Write, so that it leaves in one piece. Each call is followed by one of
// Write, by the same goroutine, soon.
func (s *Session) Gather() { s.out.begin() }

// Write writes what is queued, without waiting, on the caller's goroutine: what the peer does not take at once,
// and what others queue meanwhile, is left to a writer. Where others gather, the last of them writes.
func (s *Session) Write() { s.out.flush() }

// appendFrames appends encoded messages with consecutive transaction ids: all of them, or none.
func (q *output) appendFrames(frames []byte, xid uint32, count int) error {
	switch {
	case q.ended != nil:
		return q.ended
	case q.version == 0:
		return ErrNotConnected
	case !q.fits(q.buf, -len(frames)):
		q.full += uint64(count)
		return ErrFull
	}
	b := append(q.buf, frames...)
	var byType [types]uint64
	rest := b[len(q.buf):]
	for ; count > 0; count-- {
		h, err := openflow.ParseHeader(rest)
		switch {
		case err != nil || int(h.Length) > len(rest) || int(h.Type) >= len(byType):
			return errFrames
		case h.Version != q.version:
			return fmt.Errorf("%w: a message of %s in a session of %s", openflow.ErrVersion, h.Version, q.version)
		}
		binary.BigEndian.PutUint32(rest[4:], xid)
		byType[h.Type]++
		xid++
		rest = rest[h.Length:]
	}
	if len(rest) > 0 {
		return errFrames
	}
	for t, n := range byType {
		q.byType[t] += n
	}
	q.commit(b)
	return nil
}
