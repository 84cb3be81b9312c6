package session

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/openflow"
)

// Roles are the roles that the controllers of one switch have, and the largest generation that one
// of them has named: shared by all connections of the switch. The zero value is that of a switch
// that has just started.
type Roles struct {
	mu         sync.Mutex
	master     *heldRole
	generation uint64
	defined    bool // a generation was named
}

// heldRole is the role at one connection, as the switch has confirmed it (or, at the switch's end,
// given it). Any goroutine may read it.
type heldRole struct{ role atomic.Uint32 }

func (h *heldRole) get() openflow.Role  { return openflow.Role(h.role.Load()) }
func (h *heldRole) set(r openflow.Role) { h.role.Store(uint32(r)) }

// request does a role request. "If the value of generation_id is smaller than the value of the
// largest one" - as a signed difference of 64 bits - a request for MASTER or SLAVE is stale
// (OpenFlow 1.3, controller role change). OpenFlow 1.0 has Nicira's request, without a generation.
func (r *Roles) request(at *heldRole, v openflow.Version, m *openflow.RoleRequest) (*openflow.RoleReply, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Role > openflow.RoleSlave {
		return nil, &openflow.DecodeError{Code: openflow.RoleRequestFailedBadRole, Reason: fmt.Sprintf("role %d", m.Role)}
	}
	named := v != openflow.V10 && (m.Role == openflow.RoleMaster || m.Role == openflow.RoleSlave)
	if named {
		if r.defined && int64(m.Generation-r.generation) < 0 {
			return nil, &openflow.DecodeError{Code: openflow.RoleRequestFailedStale,
				Reason: fmt.Sprintf("generation %#x after %#x", m.Generation, r.generation)}
		}
		r.generation, r.defined = m.Generation, true
	}
	if m.Role != openflow.RoleNoChange {
		r.give(at, m.Role)
	}
	generation := r.generation
	if !r.defined {
		generation = ^uint64(0)
	}
	return &openflow.RoleReply{Role: at.get(), Generation: generation}, nil
}

// give sets a role; the master before becomes a slave.
func (r *Roles) give(c *heldRole, role openflow.Role) {
	if r.master != nil && r.master != c && role == openflow.RoleMaster {
		r.master.set(openflow.RoleSlave)
	}
	switch {
	case role == openflow.RoleMaster:
		r.master = c
	case r.master == c:
		r.master = nil
	}
	c.set(role)
}

// leave forgets a connection that has ended.
func (r *Roles) leave(c *heldRole) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.master == c {
		r.master = nil
	}
}
