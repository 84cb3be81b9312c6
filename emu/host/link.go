package host

import (
	"math/rand/v2"
	"slices"
)

// link is the host's end of its link, that all layers above send by: the frame that is being built, what the host
// counts, and its timers.
type link struct {
	identity
	timers   timers
	random   rand.PCG
	buf      []byte // the frame that is being built; grows to the longest one sent
	counters Counters
}

// headroom is at least the length of all headers: Ethernet with a tag, IPv6, TCP with options.
const headroom = 128

// payload is a buffer of n bytes behind the headers of the frame to be built, which moves them to
// their place. Its content is undefined.
func (l *link) payload(n int) []byte {
	l.buf = slices.Grow(l.buf[:0], headroom+n)
	return l.buf[headroom : headroom+n]
}

// stamped is a payload of n bytes that begins with a stamp; the rest is zero.
func (l *link) stamped(s stamp, n int) []byte {
	b := l.payload(n)
	s.put(b)
	clear(b[stampLen:])
	return b
}

// frame is the empty frame to be built; payload remains valid behind it.
func (l *link) frame() []byte {
	l.buf = slices.Grow(l.buf[:0], headroom)
	return l.buf[:0]
}

// tally counts the frames of a command.
type tally struct {
	sent   uint64 // left the host
	unsent uint64 // dropped, because the neighbour did not answer or its queue was full
}

// transmit sends a complete frame and counts it.
func (l *link) transmit(frame []byte, t *tally, out Output) {
	l.counters.FramesOut++
	l.counters.BytesOut += uint64(len(frame))
	if t != nil {
		t.sent++
	}
	out.Send(frame)
}
