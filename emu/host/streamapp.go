package host

import "time"

// established starts the sending application, or the idle timer of an accepting one.
func (s *Stream) established(now time.Duration) {
	s.stage, s.since, s.snd.retries = open, now, 0
	s.of.via.link.timers.stop(&s.rtx)
	if !s.active {
		s.setApp(now + acceptedIdle)
		return
	}
	if s.spec.Duration > 0 {
		s.until = now + s.spec.Duration
		s.setApp(s.until)
	}
	switch {
	case s.snd.closing:
	case s.spec.Rate > 0:
		s.setApp(now)
	case s.spec.Bytes > 0:
		s.snd.written, s.snd.closing = s.spec.Bytes, true
	default:
		s.snd.written = endless
	}
}

// streamApp is a Stream as the owner of its application's timer.
type streamApp Stream

func (a *streamApp) wake(now time.Duration, out Output) {
	s := (*Stream)(a)
	switch {
	case s.stage == closed:
		s.of.drop(s)
	case s.snd.finAcked(): // no FIN of the peer within finWait
		s.finish(now)
	case !s.active:
		if now-s.last >= acceptedIdle {
			s.fail(now, ErrSilent)
			return
		}
		s.setApp(s.last + acceptedIdle)
	case s.until > 0 && now >= s.until && !s.snd.closing:
		s.Stop(now)
	case s.stage == open && !s.snd.closing:
		s.write(now, out)
	case s.stage == open:
		s.output(now, out)
	}
}

// write queues the next segment of a sender at a rate, and sets the timer for the one after it.
func (s *Stream) write(now time.Duration, out Output) {
	n := uint64(s.snd.congestion.mss)
	if s.spec.Bytes > 0 {
		n = min(n, s.spec.Bytes-s.snd.written)
	}
	ahead := int64(s.snd.written) + 1 - s.snd.una
	if ahead < sendBuffer {
		s.snd.written += n
		s.snd.closing = s.spec.Bytes > 0 && s.snd.written == s.spec.Bytes
	}
	s.output(now, out)
	if s.snd.closing || s.stage != open {
		return
	}
	next := s.since + s.sendTime(s.snd.written)
	if ahead >= sendBuffer {
		next = now + s.sendTime(n)
	}
	if s.until > 0 {
		next = min(next, s.until)
	}
	s.setApp(next)
}

// sendTime is how long it takes to send bytes at the stream's rate.
func (s *Stream) sendTime(bytes uint64) time.Duration {
	return time.Duration(float64(bytes) * 8 * float64(time.Second) / float64(s.spec.Rate))
}
