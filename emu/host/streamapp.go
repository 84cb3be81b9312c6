package host

import "time"

// established starts the sending application, or the idle timer of an accepting one.
func (s *Stream) established(h *Host, now time.Duration) {
	s.stage, s.since, s.retries = open, now, 0
	h.timers.stop(&s.rtx)
	if !s.active {
		h.timers.set(&s.app, (*streamApp)(s), now+acceptedIdle)
		return
	}
	if s.spec.Duration > 0 {
		s.until = now + s.spec.Duration
		h.timers.set(&s.app, (*streamApp)(s), s.until)
	}
	switch {
	case s.closing:
	case s.spec.Rate > 0:
		h.timers.set(&s.app, (*streamApp)(s), now)
	case s.spec.Bytes > 0:
		s.written, s.closing = s.spec.Bytes, true
	default:
		s.written = endless
	}
}

// streamApp is a Stream as the owner of its application's timer.
type streamApp Stream

func (a *streamApp) wake(h *Host, now time.Duration, out Output) {
	s := (*Stream)(a)
	switch {
	case s.stage == closed:
		h.dropStream(s)
	case s.finAcked(): // no FIN of the peer within finWait
		s.finish(h, now)
	case !s.active:
		if now-s.last >= acceptedIdle {
			s.fail(h, now, ErrSilent)
			return
		}
		h.timers.set(&s.app, a, s.last+acceptedIdle)
	case s.until > 0 && now >= s.until && !s.closing:
		s.Stop(h, now)
	case s.stage == open && !s.closing:
		s.write(h, now, out)
	case s.stage == open:
		s.output(h, now, out)
	}
}

// write queues the next segment of a sender at a rate, and sets the timer for the one after it.
func (s *Stream) write(h *Host, now time.Duration, out Output) {
	n := uint64(s.congestion.mss)
	if s.spec.Bytes > 0 {
		n = min(n, s.spec.Bytes-s.written)
	}
	ahead := int64(s.written) + 1 - s.una
	if ahead < sendBuffer {
		s.written += n
		s.closing = s.spec.Bytes > 0 && s.written == s.spec.Bytes
	}
	s.output(h, now, out)
	if s.closing || s.stage != open {
		return
	}
	next := s.since + s.sendTime(s.written)
	if ahead >= sendBuffer {
		next = now + s.sendTime(n)
	}
	if s.until > 0 {
		next = min(next, s.until)
	}
	h.timers.set(&s.app, (*streamApp)(s), next)
}

// sendTime is how long it takes to send bytes at the stream's rate.
func (s *Stream) sendTime(bytes uint64) time.Duration {
	return time.Duration(float64(bytes) * 8 * float64(time.Second) / float64(s.spec.Rate))
}
