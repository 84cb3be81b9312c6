package southbound

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// An instance that stands by holds sessions: its switches have it as a slave (OpenFlow 1.3, 6.3.4), and are asked nothing
// after the handshake. When it takes over it asks each for the role of master at once, which fences the owner before it, and
// when its engines are there the sessions begin as those that have just connected. Taking over waits for no connection then,
// and the switches' answers come while the engines are made.

// Standby has the sessions of an instance that stands by.
type Standby struct {
	g *Registry

	mu    sync.Mutex // guards what follows
	phase phase
	held  map[*session.Session]bool
}

// phase is how far an instance is with taking over.
type phase uint8

const (
	sessionsBegin phase = iota // it does not stand by: sessions begin when they connect
	sessionsHeld               // it stands by
	rolesAsked                 // it takes over, and has no engines yet
)

// heldSwitch is a session that is held. Its reader owns it.
type heldSwitch struct {
	features session.Features // with the ports as they are now, and what became of the request for the role of master
	max      int              // of ports
	answered bool             // that request was
}

// Hold has sessions held from now on, before any connects.
func (b *Standby) Hold() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.phase, b.held = sessionsHeld, make(map[*session.Session]bool)
}

// Ask asks the switches for the role of master, as this instance has a term in which it may. It returns when all have been
// asked, and not when they have answered.
func (b *Standby) Ask() {
	b.mu.Lock()
	if b.phase != sessionsHeld {
		b.mu.Unlock()
		return
	}
	b.phase = rolesAsked
	list := slices.Collect(maps.Keys(b.held))
	b.mu.Unlock()
	for _, s := range list {
		b.ask(s)
	}
}

// Take begins the sessions that are held, and has those that come later begin at once. It is called after Join, and asks as
// Ask does if that was not called.
func (b *Standby) Take() {
	b.Ask()
	b.g.took.Store(b.g.cfg.Now().UnixNano())
	b.mu.Lock()
	list := b.held
	b.phase, b.held = sessionsBegin, nil
	b.mu.Unlock()
	for s := range list {
		// the answer brings the reader, if that of the request for the role has come before
		_ = s.Request(&openflow.BarrierRequest{}, func(_ openflow.Message, err error) {
			if h, ok := s.Value().(*heldSwitch); ok && h.answered && !errors.Is(err, session.ErrClosed) {
				begin(b.g, s, &h.features)
			}
		}) // where it fails the session has ended
	}
}

// Held is how many sessions are held.
func (b *Standby) Held() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.held)
}

// stands reports whether the instance stands by.
func (b *Standby) stands() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.phase == sessionsHeld
}

// hold holds a session that has just connected, if this instance stands by, or did when the session asked for its role.
func (b *Standby) hold(s *session.Session, f session.Features) bool {
	b.mu.Lock()
	now := b.phase
	slave := f.Asked.Role == openflow.RoleSlave
	if now == sessionsBegin && !slave {
		b.mu.Unlock()
		return false
	}
	f.Ports = slices.Clone(f.Ports)
	h := &heldSwitch{features: f, max: cmp.Or(b.g.cfg.Session.MaxPorts, session.DefaultMaxPorts)}
	h.answered = now == rolesAsked && !slave // it was asked for that of master already
	s.SetValue(h)
	if now != sessionsBegin {
		b.held[s] = true
	}
	b.mu.Unlock()
	if now != sessionsHeld && slave {
		b.ask(s)
	}
	return true
}

// ends ends a session that is held.
func (b *Standby) ends(s *session.Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.held, s)
}

// ask asks a switch for the role of master. The answer comes to the session's reader. Without terms no role is asked for,
// and the answer to a barrier comes to the reader.
func (b *Standby) ask(s *session.Session) {
	role, asks := b.g.roles.first(0)
	var request openflow.Message = &openflow.BarrierRequest{}
	if asks {
		request = &role
	}
	err := s.Request(request, func(m openflow.Message, err error) {
		if errors.Is(err, session.ErrClosed) {
			return
		}
		h := s.Value().(*heldSwitch)
		h.answered = true
		f := &h.features
		f.Asked, f.RoleError = role, nil
		if asks {
			f.RoleError = roleError(&role, m, err)
			if !session.IsStale(f.RoleError) && !errors.Is(f.RoleError, session.ErrRole) {
				b.g.roles.configure(s) // which the handshake of a slave leaves out
			}
		}
		if b.taken() {
			begin(b.g, s, f)
		}
	})
	if err != nil {
		b.g.cfg.Log.Debug("a switch has gone before it was asked for the role of master", "error", err)
	}
}

// taken reports whether sessions begin.
func (b *Standby) taken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.phase == sessionsBegin
}

// roleError is what became of a request for a role.
func roleError(asked *openflow.RoleRequest, m openflow.Message, err error) error {
	if reply, ok := m.(*openflow.RoleReply); err == nil && (!ok || reply.Role != asked.Role) {
		return fmt.Errorf("%w: %s was asked for, and another one is given", session.ErrRole, asked.Role)
	}
	return err
}

// take takes what a switch says of a port.
func (h *heldSwitch) take(m *openflow.PortStatus) {
	ports := &h.features.Ports
	at := slices.IndexFunc(*ports, func(p openflow.Port) bool { return p.Number == m.Port.Number })
	switch {
	case m.Reason == openflow.PortDeleted && at >= 0:
		*ports = slices.Delete(*ports, at, at+1)
	case m.Reason == openflow.PortDeleted:
	case at >= 0:
		(*ports)[at] = m.Port
	case len(*ports) < h.max:
		*ports = append(*ports, m.Port)
	}
}
