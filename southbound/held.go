package southbound

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// An instance that stands by holds sessions: its switches have it as a slave (OpenFlow 1.3, 6.3.4), and are asked nothing
// after the handshake. When it takes over it asks each for the role of master, and the answer begins what a session that
// has just connected begins. Taking over waits for no connection then.

// Standby has the sessions of an instance that stands by.
type Standby struct {
	g *Registry

	mu      sync.Mutex // guards what follows
	holding bool       // the instance stands by
	held    map[*session.Session]bool
}

// heldSwitch is a session that is held. Its reader owns it.
type heldSwitch struct {
	features session.Features // with the ports as they are now
	max      int              // of ports
}

// Hold has sessions held from now on, before any connects.
func (b *Standby) Hold() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holding, b.held = true, make(map[*session.Session]bool)
}

// Take begins the sessions that are held, and has those that come later begin at once. It is called after Join, once, when
// this instance has a term in which it may ask for the role of master. It returns when all have been asked, and not when
// they have answered.
func (b *Standby) Take() {
	b.mu.Lock()
	list := b.held
	b.holding, b.held = false, nil
	b.mu.Unlock()
	for s := range list {
		b.ask(s)
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
	return b.holding
}

// hold holds a session that has just connected, if this instance stands by, or did when the session asked for its role.
func (b *Standby) hold(s *session.Session, f session.Features) bool {
	b.mu.Lock()
	holding := b.holding
	if !holding && f.Asked.Role != openflow.RoleSlave {
		b.mu.Unlock()
		return false
	}
	f.Ports = slices.Clone(f.Ports)
	s.SetValue(&heldSwitch{f, cmp.Or(b.g.cfg.Session.MaxPorts, session.DefaultMaxPorts)})
	if holding {
		b.held[s] = true
	}
	b.mu.Unlock()
	if !holding {
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

// ask asks a switch for the role. The answer comes to the session's reader, which begins the session. Without terms no
// role is asked for, and the answer to a barrier comes to the reader.
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
		f := s.Value().(*heldSwitch).features
		f.Asked, f.RoleError = role, nil
		if asks {
			f.RoleError = roleError(&role, m, err)
			if !session.IsStale(f.RoleError) && !errors.Is(f.RoleError, session.ErrRole) {
				b.g.roles.configure(s) // which the handshake of a slave leaves out
			}
		}
		begin(b.g, s, &f)
	})
	if err != nil {
		b.g.cfg.Log.Debug("a switch has gone before it was asked for the role of master", "error", err)
	}
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
