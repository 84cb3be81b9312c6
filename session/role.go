package session

import (
	"fmt"
	"sync"

	"github.com/weirnet/weir/openflow"
)

// Roles are the roles that the controllers of one switch have, and the largest generation that one
// of them has named: shared by all connections of the switch. The zero value is that of a switch
// that has just started.
type Roles struct {
	mu         sync.Mutex
	master     *Core
	generation uint64
	defined    bool // a generation was named
}

// Role is the role at this connection, as the switch has confirmed it (or, at the switch's end,
// given it).
func (c *Core) Role() openflow.Role { return openflow.Role(c.role.Load()) }

// answerRole gives a role or refuses it.
func (c *Core) answerRole(h openflow.Header, m *openflow.RoleRequest, frame []byte) {
	reply, err := c.roles.request(c, m)
	if err != nil {
		c.refuse(h, frame, err)
		return
	}
	c.send(h.XID, reply)
}

// request does a role request. "If the value of generation_id is smaller than the value of the
// largest one" - as a signed difference of 64 bits - a request for MASTER or SLAVE is stale
// (OpenFlow 1.3, controller role change). OpenFlow 1.0 has Nicira's request, without a generation.
func (r *Roles) request(c *Core, m *openflow.RoleRequest) (*openflow.RoleReply, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Role > openflow.RoleSlave {
		return nil, &openflow.DecodeError{Code: openflow.RoleRequestFailedBadRole, Reason: fmt.Sprintf("role %d", m.Role)}
	}
	named := c.version != openflow.V10 && (m.Role == openflow.RoleMaster || m.Role == openflow.RoleSlave)
	if named {
		if r.defined && int64(m.Generation-r.generation) < 0 {
			return nil, &openflow.DecodeError{Code: openflow.RoleRequestFailedStale,
				Reason: fmt.Sprintf("generation %#x after %#x", m.Generation, r.generation)}
		}
		r.generation, r.defined = m.Generation, true
	}
	if m.Role != openflow.RoleNoChange {
		r.give(c, m.Role)
	}
	generation := r.generation
	if !r.defined {
		generation = ^uint64(0)
	}
	return &openflow.RoleReply{Role: c.Role(), Generation: generation}, nil
}

// give sets a role; the master before becomes a slave.
func (r *Roles) give(c *Core, role openflow.Role) {
	if r.master != nil && r.master != c && role == openflow.RoleMaster {
		r.master.role.Store(uint32(openflow.RoleSlave))
	}
	switch {
	case role == openflow.RoleMaster:
		r.master = c
	case r.master == c:
		r.master = nil
	}
	c.role.Store(uint32(role))
}

// leave forgets a connection that has ended.
func (r *Roles) leave(c *Core) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.master == c {
		r.master = nil
	}
}
