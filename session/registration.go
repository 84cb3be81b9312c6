package session

import (
	"crypto/tls"
	"fmt"
)

// registration is a session's hold on its datapath id.
type registration struct {
	connected bool
	successor *Session // takes the id over if this one is found dead
}

// Session returns the session of a connected switch, or nil.
func (v *Server) Session(datapath uint64) *Session {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.registered[datapath]; s != nil && s.registration.connected {
		return s
	}
	return nil
}

// identified is called when a session's switch has sent its datapath id. If another session has the
// id, a duplicate check begins there, and admission waits until that one has answered or ended; a
// third session is refused.
func (v *Server) identified(s *Session) {
	id := s.protocol.core.handshake.features.Datapath
	if err := v.admit(s, id); err != nil {
		s.prompts.admit(&Admission{err})
		return
	}
	v.mu.Lock()
	old := v.registered[id]
	switch {
	case old == nil:
		v.registered[id] = s
	case old.registration.successor == nil:
		old.registration.successor = s
	default:
		v.mu.Unlock()
		s.prompts.admit(&Admission{fmt.Errorf("%w, or is about to be", ErrInUse)})
		return
	}
	v.mu.Unlock()
	if old == nil {
		s.prompts.admit(&Admission{})
		return
	}
	old.prompts.check()
}

// admit calls Config.Admit.
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

// connected marks a session whose handler is about to get Connected.
func (v *Server) connected(s *Session) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s.registration.connected = true
}

// alive is called when a duplicate check has found a session alive: the other one is refused.
func (v *Server) alive(s *Session) {
	v.mu.Lock()
	other := s.registration.successor
	s.registration.successor = nil
	v.mu.Unlock()
	if other != nil {
		other.prompts.admit(&Admission{ErrInUse})
	}
}

// ended removes a session after Disconnected. Its successor, if any, has the datapath id from then
// on.
func (v *Server) ended(s *Session) {
	id, counts := s.protocol.core.handshake.features.Datapath, s.Stats()
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.registration.connected {
		v.past.add(&counts)
	}
	switch holder := v.registered[id]; {
	case holder == nil:
	case holder == s && s.registration.successor != nil:
		v.registered[id] = s.registration.successor
		s.registration.successor.prompts.admit(&Admission{})
	case holder == s:
		delete(v.registered, id)
	case holder.registration.successor == s:
		holder.registration.successor = nil
	}
}
