package session

// hold tells the group how much is held for the peer that it has not said whole: all of a handshake, the parts of answers
// that are not whole. It is called by the reader after each batch, which is bounded by its buffer.
func (s *Session) hold() {
	n := s.core.holds.Load()
	if !s.connected {
		n += int64(max(len(s.input.buf)-freeInput, 0))
	}
	if n != s.counted {
		s.counted = n
		s.group.hold(s, n)
	}
}

// hold counts what is held for a session. Where that is too much of all together, who holds most is ended: so one that
// holds much makes no room for itself at the cost of many that hold little.
func (g *group) hold(s *Session, n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, there := g.sessions[s]; !there || s.place.leaving {
		return
	}
	g.held.Add(n - s.holds)
	s.holds = n
	for g.held.Load() > int64(s.cfg.MaxHeld) {
		most := g.holdsMost()
		if most == nil {
			return
		}
		g.held.Add(-most.holds)
		most.holds = 0
		g.known(most)
		most.place.leaving = true
		g.leaving++
		g.leave(most)
		most.Close(ErrHeld)
	}
}

// holdsMost is the session for which most is held; nil if nothing is.
func (g *group) holdsMost() (most *Session) {
	for s := range g.sessions {
		if s.holds > 0 && (most == nil || s.holds > most.holds) {
			most = s
		}
	}
	return most
}

// Held is how many bytes are held for all peers together of what they have not said whole, as Config.MaxHeld counts them.
func (v *Server) Held() int { return int(v.group.held.Load()) }
