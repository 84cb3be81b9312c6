package host

import "time"

// finishIfClosed ends the stream when both directions are closed, or waits for the peer's FIN.
func (s *Stream) finishIfClosed(now time.Duration) {
	switch {
	case s.stage != open || !s.snd.finAcked():
	case s.rcv.finCame():
		s.finish(now)
	case s.app.place == 0 || s.app.at > now+finWait:
		s.setApp(now + finWait)
	}
}

// finish ends a stream without an error; it lingers as in TIME-WAIT.
func (s *Stream) finish(now time.Duration) {
	s.stage, s.end = closed, now
	s.of.via.link.timers.stop(&s.rtx)
	s.setApp(now + linger)
}

// fail ends a stream with an error and forgets it.
func (s *Stream) fail(now time.Duration, err error) {
	s.stage, s.end, s.err = failed, now, err
	s.of.drop(s)
	s.of.via.link.counters.TCPFailed++
}

// drop forgets a stream.
func (c *streams) drop(s *Stream) {
	c.via.link.timers.stop(&s.rtx)
	c.via.link.timers.stop(&s.app)
	delete(c.streams, s.key)
	if s.active {
		return
	}
	last := len(c.accepted) - 1
	c.accepted[s.place] = c.accepted[last]
	c.accepted[s.place].place = s.place
	c.accepted[last] = nil
	c.accepted = c.accepted[:last]
}
