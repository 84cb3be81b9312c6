package probe

import (
	"time"

	"github.com/weirnet/weir/arrivals"
)

// Stream follows numbered packets that go one way, while they go: of a stream that is too long to be
// kept. It has one owner, who may tell it of both ends in any order, but of each end in the order
// in which its frames were seen.
type Stream struct {
	numbers arrivals.Numbers
	sent    uint64
	left    [inFlight]leaving // by number
	waiting []arriving        // came, and was not seen leaving yet
	early   uint64            // came, and had to be dropped from waiting: not in the jitter

	bytes        int // of all that came but the first
	first, last  Stamp
	paired       bool
	previous     arriving // if paired: the one before of which both times are known
	previousLeft Stamp
	jitter       float64 // seconds
}

// leaving is when the packet of a number left; 0 of a number that has not.
type leaving struct {
	number uint64 // plus one
	at     Stamp
}

type arriving struct {
	number uint64
	at     Stamp
}

const (
	// inFlight is how many of the newest packets that left are known one by one.
	inFlight = 1 << 14
	// maxWaiting is how many arrivals wait for the time at which they left: the kernel tells of it
	// after the frame is on its way.
	maxWaiting = 1 << 12
)

// Left takes note of a packet that left, whose numbers begin with 0.
func (s *Stream) Left(number uint64, at Stamp) {
	s.sent++
	s.left[number%inFlight] = leaving{number + 1, at}
	s.match()
}

// Came takes note of a packet that came, with so many bytes of IP's payload.
func (s *Stream) Came(number uint64, at Stamp, bytes int) {
	fresh := s.numbers.Record(number)
	if !fresh {
		return
	}
	if s.numbers.Received == 1 {
		s.first = at
	} else {
		s.bytes += bytes
	}
	s.last = max(s.last, at)
	if len(s.waiting) == maxWaiting {
		s.waiting = s.waiting[1:]
		s.early++
	}
	s.waiting = append(s.waiting, arriving{number, at})
	s.match()
}

// match takes the arrivals, in their order, of which it is known when they left.
func (s *Stream) match() {
	for len(s.waiting) > 0 {
		came := s.waiting[0]
		left := s.left[came.number%inFlight]
		if left.number < came.number+1 {
			return
		}
		s.waiting = s.waiting[1:]
		if left.number != came.number+1 { // so late that another one has its place
			s.early++
			continue
		}
		s.pair(came, left.at)
	}
	s.waiting = nil
}

// pair adds D(i−1,i) of RFC 3550 to the jitter.
func (s *Stream) pair(came arriving, left Stamp) {
	if s.paired {
		d := came.at.Sub(s.previous.at) - left.Sub(s.previousLeft)
		s.jitter += (d.Abs().Seconds() - s.jitter) / 16
	}
	s.paired, s.previous, s.previousLeft = true, came, left
}

// Flow is what came of the stream so far. What has left and not come is lost: it is asked for when
// nothing is on its way any more.
func (s *Stream) Flow() Flow {
	n := &s.numbers
	f := Flow{Sent: int(s.sent), Received: int(n.Received), Lost: int(s.sent - min(n.Received, s.sent)),
		Doubled: int(n.Duplicated), Reordered: int(n.Reordered), Jitter: time.Duration(s.jitter * float64(time.Second))}
	if s.last > s.first {
		f.Throughput = float64(s.bytes) * 8 / s.last.Sub(s.first).Seconds()
	}
	return f
}

// Next is one more than the highest number that came.
func (s *Stream) Next() uint64 { return s.numbers.Next }

// Unmatched is how many packets are in the counts and not in the jitter, since it was not known in
// time when they left.
func (s *Stream) Unmatched() int { return int(s.early) + len(s.waiting) }
