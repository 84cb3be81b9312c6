package session

import (
	"fmt"
	"time"
)

// hold updates the bytes of incomplete input that are held for the peer: all of a handshake, and
// the parts of incomplete answers. It is called after each batch, which the buffer bounds.
func (r *reader) hold() {
	if !r.newUntil.IsZero() && !r.s.group.now().Before(r.newUntil) {
		r.newUntil = time.Time{}
		r.s.group.holdPorts(r.s, 0)
	}
	n := r.core.holds()
	if !r.handler.connected {
		n += int64(max(len(r.input.buf)-freeInput, 0))
	}
	if n != r.counted {
		r.counted = n
		r.s.group.hold(r.s, n)
	}
}

// hold sets the bytes held for a session. Above Config.MaxHeld in all, the session with most of
// them is ended, so that one large holder cannot displace many small ones.
func (g *group) hold(s *Session, n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, there := g.sessions[s]; !there || s.handshake.leaving {
		return
	}
	g.held.Add(n - s.holds)
	s.holds = n
	for g.held.Load() > int64(s.cfg.MaxHeld) {
		most := g.largestHolder()
		if most == nil {
			return
		}
		g.held.Add(-most.holds)
		most.holds = 0
		g.leaveHandshake(most)
		most.handshake.leaving = true
		g.leaving++
		g.leave(most)
		most.Close(ErrHeld)
	}
}

// largestHolder returns the session with most held bytes; nil if none has any.
func (g *group) largestHolder() (most *Session) {
	for s := range g.sessions {
		if s.holds > 0 && (most == nil || s.holds > most.holds) {
			most = s
		}
	}
	return most
}

// Held returns the bytes of incomplete input that are held for all peers, as Config.MaxHeld counts
// them.
func (v *Server) Held() int { return int(v.group.held.Load()) }

// roomForPorts reserves memory for the ports of a new switch when its handshake is done. Anybody
// can claim to be a switch with thousands of ports, and the handler keeps many times the 64 bytes
// that a port has on the wire.
func (r *reader) roomForPorts() error {
	s, f := r.s, &r.core.handshake.features
	many := int64(len(f.Ports) - FreePorts)
	if many <= 0 || !s.cfg.NewSwitch(f.Datapath) {
		return nil
	}
	most := int64(s.cfg.MaxHeld / 2)                     // the other half is for handshakes
	if !s.group.holdPorts(s, min(many*heldPort, most)) { // a single one is admitted whatever the limit
		return fmt.Errorf("%w: %d, and more than %d of each new switch are counted for %s", ErrNewPorts,
			len(f.Ports), FreePorts, NewSwitchTime)
	}
	r.newUntil = s.group.now().Add(NewSwitchTime)
	return nil
}

// holdPorts sets the bytes held for a new switch's ports. Where there is no room it returns false
// and changes nothing: sessions that exist are kept.
func (g *group) holdPorts(s *Session, n int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	more := n - s.ports
	if _, there := g.sessions[s]; !there || more > 0 && g.ports+more > int64(s.cfg.MaxHeld/2) {
		return false
	}
	g.held.Add(more)
	g.ports += more
	s.ports = n
	return true
}
