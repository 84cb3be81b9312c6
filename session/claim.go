package session

import (
	"crypto/tls"
	"fmt"
)

// claim is what a session has of a datapath id.
type claim struct {
	connected  bool
	challenger *Session // wants the id if this one does not live
}

// Session is the session of a connected switch, or nil.
func (v *Server) Session(datapath uint64) *Session {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.claims[datapath]; s != nil && s.claim.connected {
		return s
	}
	return nil
}

// identified is called when a session's switch has named its datapath id. Where another session has it, that one is
// challenged, and the verdict waits until it has answered or ended; a third has to come again.
func (v *Server) identified(s *Session) {
	id := s.core.features.Datapath
	if err := v.admit(s, id); err != nil {
		s.judge(&Verdict{err})
		return
	}
	v.mu.Lock()
	old := v.claims[id]
	switch {
	case old == nil:
		v.claims[id] = s
	case old.claim.challenger == nil:
		old.claim.challenger = s
	default:
		v.mu.Unlock()
		s.judge(&Verdict{fmt.Errorf("%w, or is about to be", ErrInUse)})
		return
	}
	v.mu.Unlock()
	if old == nil {
		s.judge(&Verdict{})
		return
	}
	old.contest.Store(true)
	old.kick()
}

// admit asks Config.Admit.
func (v *Server) admit(s *Session, id uint64) error {
	if v.cfg.Admit == nil {
		return nil
	}
	var state *tls.ConnectionState
	if c, ok := s.conn.(*secureConn); ok {
		now := c.ConnectionState()
		state = &now
	}
	if err := v.cfg.Admit(id, s.conn.RemoteAddr(), state); err != nil {
		return fmt.Errorf("%w: %w", ErrNotAdmitted, err)
	}
	return nil
}

// judge hands a session its verdict; the reader takes it when it reads next.
func (s *Session) judge(v *Verdict) {
	s.verdict.Store(v)
	s.kick()
}

// connected takes note that a session's handler is about to be told of it.
func (v *Server) connected(s *Session) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s.claim.connected = true
}

// lives is called when a session has met a challenge: the challenger is refused.
func (v *Server) lives(s *Session) {
	v.mu.Lock()
	other := s.claim.challenger
	s.claim.challenger = nil
	v.mu.Unlock()
	if other != nil {
		other.judge(&Verdict{ErrInUse})
	}
}

// ended takes out a session after its handler was told. Who challenged it has its datapath id from then on.
func (v *Server) ended(s *Session) {
	id := s.core.features.Datapath
	v.mu.Lock()
	defer v.mu.Unlock()
	switch holder := v.claims[id]; {
	case holder == nil:
	case holder == s && s.claim.challenger != nil:
		v.claims[id] = s.claim.challenger
		s.claim.challenger.judge(&Verdict{})
	case holder == s:
		delete(v.claims, id)
	case holder.claim.challenger == s:
		holder.claim.challenger = nil
	}
}
