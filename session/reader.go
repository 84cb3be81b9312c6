package session

import "time"

// room is where the next read goes: little of it while the peer does not take what it is sent, so
// that what it sends meanwhile costs others nothing.
func (s *Session) room() []byte {
	b := s.input.room()
	if s.out.size.Load() > int64(s.cfg.HighWater) {
		return b[:min(len(b), pausedRead)]
	}
	return b
}

// open begins the conversation on a connection that has been there since a time.
func (s *Session) open(since time.Time) {
	s.mu.Lock()
	r := s.core.Start(since)
	s.setDeadline(r.Deadline)
	s.mu.Unlock()
	s.apply(r)
	s.flush()
}

// batch hands over what was read, and writes what was answered.
func (s *Session) batch(n int) {
	s.in.bytes.Add(uint64(n))
	s.input.filled(n)
	s.begin()
	sense := s.core.plausible
	for s.core.out.reason == nil {
		frame, ok := s.input.next(sense)
		if !ok {
			break
		}
		s.receive(frame)
		if s.out.size.Load() >= flushBytes {
			s.flush()
			s.begin()
		}
	}
	s.input.adapt()
	if s.input.large() && !s.large.Load() {
		s.large.Store(true)
	}
	s.batchEnd()
	s.flush()
}

// onDeadline acts on a deadline of the core, and frees large buffers that were not needed lately.
func (s *Session) onDeadline() {
	s.input.shrink()
	s.large.Store(s.input.large())
	s.out.trim()
	if c, ok := s.conn.(*secureConn); ok {
		c.wire.trim()
	}
	s.begin()
	if v := s.admission.Swap(nil); v != nil {
		s.step(Input{Admission: v})
	}
	if s.checkDuplicate.Swap(false) {
		s.step(Input{CheckAlive: true})
	}
	in := Input{Read: s.in.bytes.Load()}
	in.Written, in.Waiting = s.out.progress()
	s.step(in)
	s.batchEnd()
	s.flush()
}

// begin makes what is appended wait for the next flush.
func (s *Session) begin() {
	s.out.mu.Lock()
	s.out.batching = true
	s.out.mu.Unlock()
}

// flush writes what is queued, without waiting: what the peer does not take at once, and what
// others append meanwhile, is left to a writer.
func (s *Session) flush() {
	q := &s.out
	q.mu.Lock()
	q.batching = false
	if !q.startWriting() {
		q.mu.Unlock()
		return
	}
	if s.try == nil {
		q.mu.Unlock()
		s.startWriter()
		return
	}
	b := q.nextWrite()
	q.mu.Unlock()
	n, err := s.try.TryWrite(b)
	traceWritten(s)
	q.mu.Lock()
	q.wrote(n)
	if err != nil {
		q.drop()
		q.mu.Unlock()
		s.Close(err)
		return
	}
	q.stopWriting()
	s.unlockOutput()
}

// finish ends the session: open requests are answered, what is queued is written if that was our
// own decision, and the handler is notified.
func (s *Session) finish(reason error, ours bool) {
	reason = closed(reason)
	s.out.end(reason)
	s.mu.Lock()
	r := s.core.End(reason)
	s.setDeadline(time.Time{})
	s.mu.Unlock()
	s.apply(r)
	if ours {
		_ = s.conn.SetWriteDeadline(s.group.now().Add(lingerLimit))
		s.flush()
		if s.group.driver == nil {
			s.out.awaitIdle()
		}
	}
	s.conn.Close()
	if s.group.driver != nil {
		s.abandonWrites()
	}
	s.out.awaitIdle()
	s.notifyEnd(reason)
	if s.server != nil {
		s.server.ended(s)
	}
	s.group.remove(s)
	close(s.done)
}
