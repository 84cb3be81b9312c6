package host

// sequence tracks the sequence numbers that arrive, from 0 on, and remembers the last window of
// them one by one.
type sequence struct {
	next       uint64 // one more than the highest seen
	received   uint64 // different ones
	duplicated uint64 // seen before
	reordered  uint64 // lower than one seen before (RFC 4737), and no duplicate
	stale      uint64 // of the reordered: below the window, where duplicates are not noticed
	seen       [window / 64]uint64
}

// window is how many numbers are remembered one by one.
const window = 1024

// record counts a number; fresh is false if it was seen before.
func (s *sequence) record(seq uint64) (fresh bool) {
	switch {
	case seq >= s.next:
		s.advance(seq)
	case s.next-seq > window:
		s.reordered++
		s.stale++
	case s.seen[seq/64%(window/64)]>>(seq%64)&1 != 0:
		s.duplicated++
		return false
	default:
		s.reordered++
		s.seen[seq/64%(window/64)] |= 1 << (seq % 64)
	}
	s.received++
	return true
}

// advance makes seq the highest number and clears the skipped ones.
func (s *sequence) advance(seq uint64) {
	if seq-s.next >= window {
		s.seen = [window / 64]uint64{}
	} else {
		for q := s.next; q < seq; q++ {
			s.seen[q/64%(window/64)] &^= 1 << (q % 64)
		}
	}
	s.seen[seq/64%(window/64)] |= 1 << (seq % 64)
	s.next = seq + 1
}

// missing is how many numbers below the highest have not arrived.
func (s *sequence) missing() uint64 { return s.next - min(s.received, s.next) }
