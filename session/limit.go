package session

import "net/netip"

// room makes room for one more connection of a source: where there are too many in their handshake,
// of the source, of all, or together with the connected ones, the oldest of them ends. The group's
// lock is held.
func (g *group) room(source netip.Prefix, limits *Config) error {
	full := len(g.sessions)-g.leaving >= limits.MaxSessions
	switch {
	case len(g.sessions) >= limits.MaxSessions+min(MaxLeaving, limits.MaxSessions):
		return ErrTooMany
	case g.half.Of(source) >= limits.MaxHalfOpenSource, g.sources[source] >= limits.MaxSource && g.half.Of(source) > 0:
		g.endOldest(g.half.OldestOf(source))
	case g.sources[source] >= limits.MaxSource:
		return ErrSource
	case g.half.Len() >= limits.MaxHalfOpen, full && g.half.Len() > 0:
		g.endOldest(g.half.Oldest())
	case full:
		return ErrTooMany
	}
	return nil
}

// endOldest sheds a half-open session, if ok. The group's lock is held.
func (g *group) endOldest(s *Session, ok bool) {
	if !ok {
		return
	}
	g.leaveHandshake(s)
	s.handshake.leaving = true
	g.leaving++
	g.leave(s)
	s.Close(ErrShed)
}

// shed ends the oldest connection in its handshake, if any, when file descriptors ran out.
func (g *group) shed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.endOldest(g.half.Oldest())
}

// connected is called when a session's handshake is done.
func (g *group) connected(s *Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leaveHandshake(s)
}

// leaveHandshake removes a session from the half-open ones. The group's lock is held.
func (g *group) leaveHandshake(s *Session) { g.half.Remove(s.handshake.source, &s.handshake.Place) }

// remove removes a session that has ended.
func (g *group) remove(s *Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, there := g.sessions[s]; !there {
		return
	}
	delete(g.sessions, s)
	g.leaveHandshake(s)
	if s.handshake.leaving {
		g.leaving--
	} else {
		g.leave(s)
	}
	g.held.Add(-s.holds - s.ports)
	g.ports -= s.ports
	s.holds, s.ports = 0, 0
}

// leave removes a session from the count of its source, if it is counted.
func (g *group) leave(s *Session) {
	source := s.handshake.source
	if n, counted := g.sources[source]; n > 1 {
		g.sources[source] = n - 1
	} else if counted {
		delete(g.sources, source)
	}
}
