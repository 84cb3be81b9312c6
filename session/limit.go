package session

import "net/netip"

// room makes room for one more connection of a source: where there are too many in their handshake, of the source, of all,
// or together with the connected ones, the oldest of them ends. The group's lock is held.
func (g *group) room(source netip.Prefix, limits *Config) error {
	full := len(g.sessions)-g.leaving >= limits.MaxSessions
	switch {
	case len(g.sessions) >= limits.MaxSessions+min(MaxLeaving, limits.MaxSessions):
		return ErrTooMany
	case g.half.of(source) >= limits.MaxHalfOpenSource:
		g.end(g.half.oldestOf(source))
	case g.half.len() >= limits.MaxHalfOpen, full && g.half.len() > 0:
		g.end(g.half.oldest())
	case full:
		return ErrTooMany
	}
	return nil
}

// end sheds a session that is half open. The group's lock is held.
func (g *group) end(s *Session) {
	g.half.remove(s)
	s.place.leaving = true
	g.leaving++
	s.Close(ErrShed)
}

// shed ends the oldest connection in its handshake, where there is one: files ran out.
func (g *group) shed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.half.oldest(); s != nil {
		g.end(s)
	}
}

// connected takes note that a session's handshake is done.
func (g *group) connected(s *Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.half.remove(s)
}

// remove forgets a session that has ended.
func (g *group) remove(s *Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.sessions, s)
	g.half.remove(s)
	if s.place.leaving {
		g.leaving--
	}
}
