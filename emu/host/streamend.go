package host

import "time"

// finAcked reports whether the peer has acknowledged this end's FIN, and finReceived whether its
// own has come in order.
func (s *Stream) finAcked() bool    { return s.closing && s.una > s.dataEnd() }
func (s *Stream) finReceived() bool { return s.fin > 0 && s.rcv > s.fin }

// dataEnd is the offset after the last byte written: the FIN's, once closing.
func (s *Stream) dataEnd() int64 { return int64(s.written) + 1 }

// finishIfClosed ends the stream when both directions are closed, or waits for the peer's FIN.
func (s *Stream) finishIfClosed(h *Host, now time.Duration) {
	switch {
	case s.stage != open || !s.finAcked():
	case s.finReceived():
		s.finish(h, now)
	case s.app.place == 0 || s.app.at > now+finWait:
		h.timers.set(&s.app, (*streamApp)(s), now+finWait)
	}
}

// finish ends a stream without an error; it lingers as in TIME-WAIT.
func (s *Stream) finish(h *Host, now time.Duration) {
	s.stage, s.end = closed, now
	h.timers.stop(&s.rtx)
	h.timers.set(&s.app, (*streamApp)(s), now+linger)
}

// fail ends a stream with an error and forgets it.
func (s *Stream) fail(h *Host, now time.Duration, err error) {
	s.stage, s.end, s.err = failed, now, err
	h.dropStream(s)
	h.counters.TCPFailed++
}

// dropStream forgets a stream.
func (h *Host) dropStream(s *Stream) {
	h.timers.stop(&s.rtx)
	h.timers.stop(&s.app)
	delete(h.streams, s.key)
	if s.active {
		return
	}
	last := len(h.accepted) - 1
	h.accepted[s.place] = h.accepted[last]
	h.accepted[s.place].place = s.place
	h.accepted[last] = nil
	h.accepted = h.accepted[:last]
}
