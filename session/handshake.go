package session

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/weirnet/weir/openflow"
)

// Features describes a switch as of the handshake. Later port status messages go to the handler.
type Features struct {
	Datapath     uint64
	Version      openflow.Version
	Buffers      uint32
	Tables       uint8
	Capabilities uint32 // bits as the version has them
	Actions      uint32 // OpenFlow 1.0: bitmap of actions
	Ports        []openflow.Port
	Desc         openflow.Desc // empty if the switch refuses to tell
	Remote       net.Addr
	// Asked is the request of Config.Role; RoleNoChange if there was none. RoleError is why the switch has not given it; nil
	// if it has.
	Asked     openflow.RoleRequest
	RoleError error
}

// handshake is what a controller asks once the version is agreed on: what the switch is, then, when it is admitted,
// the rest. Its answers come within the steps that read them.
type handshake struct {
	cfg       *Config
	out       *outbox
	requests  *requests
	roomCheck func() error // asks at the end whether there is room for the switch; nil: there is

	stage    stage
	features Features
	asked    uint32    // transaction id of the features request
	waiting  int       // answers that it still needs
	role     uint32    // transaction id of the request for a role
	roleBy   time.Time // until when its answer is waited for; zero: it is not
}

// stage is how far a handshake is.
type stage uint8

const (
	stageFeatures stage = iota // the features reply is awaited
	stageAdmit                 // the datapath id is known, the owner's Admission is awaited
	stageDescribe              // ports, description and role are awaited
	stageDone
)

// identified reports whether the datapath id is known.
func (h *handshake) identified() bool { return h.stage >= stageAdmit }

// begin sends the controller's first message after HELLO.
func (h *handshake) begin(now time.Time) {
	h.asked = h.requests.ask(&openflow.FeaturesRequest{}, now, func(m openflow.Message, err error) {
		switch {
		case err == nil:
			h.onFeatures(m.(*openflow.FeaturesReply))
		case !errors.Is(err, ErrClosed): // the switch does not say what it is
			h.out.close(err)
		}
	})
}

// onFeatures takes the features reply and asks the owner for an Admission.
func (h *handshake) onFeatures(m *openflow.FeaturesReply) {
	if m.Auxiliary != 0 {
		h.refuse("auxiliary connection", ErrAuxiliary)
		return
	}
	if len(m.Ports) > h.cfg.MaxPorts {
		h.refusePorts(len(m.Ports))
		return
	}
	h.features = Features{Datapath: m.DatapathID, Version: h.out.version, Buffers: m.Buffers, Tables: m.Tables,
		Capabilities: m.Capabilities, Actions: m.Actions, Ports: m.Ports}
	h.stage = stageAdmit
	h.out.deliver(Event{Kind: EventIdentified})
}

// admit takes the owner's admission. An admitted switch is asked for the rest, the role first.
func (h *handshake) admit(v *Admission, now time.Time) {
	switch {
	case h.stage != stageAdmit:
		return
	case errors.Is(v.Err, ErrInUse):
		h.refuse("datapath id in use", v.Err)
		return
	case v.Err != nil:
		h.refuse("not admitted", v.Err)
		return
	}
	h.stage = stageDescribe
	configure := func() {
		h.out.message(h.out.nextXID(), &openflow.SetConfig{MissSendLen: h.cfg.MissSendLen})
	}
	if h.cfg.Role != nil {
		if role, ok := h.cfg.Role(h.features.Datapath); ok {
			set := configure
			configure = func() {} // nothing is set before the switch has given the role
			h.features.Asked = role
			h.roleBy = now.Add(roleLimit)
			h.role = h.require(&role, now, func(m openflow.Message, err error) {
				h.roleBy = time.Time{}
				if reply, ok := m.(*openflow.RoleReply); ok && reply.Role != role.Role {
					err = fmt.Errorf("%w: %s was asked for, %s is given", ErrRole, role.Role, reply.Role)
				}
				h.features.RoleError = err
				if !IsStale(err) && !errors.Is(err, ErrRole) && role.Role != openflow.RoleSlave { // who may set nothing
					set()
				}
			})
		}
	}
	if h.out.version != openflow.V10 {
		h.require(&openflow.MultipartRequest{Body: &openflow.PortDescRequest{}}, now, h.onPorts)
	}
	h.require(&openflow.MultipartRequest{Body: &openflow.DescRequest{}}, now, h.onDesc)
	configure()
}

// refuse answers the features reply with an error, and ends the connection.
func (h *handshake) refuse(text string, reason error) {
	h.out.refuseWith(h.asked, openflow.BadRequestEPerm, text, reason)
}

// roleLimit is how long the answer to the request for a role is waited for. Switches that know no roles, and do not say so, are
// served all the same.
const roleLimit = 3 * time.Second

// tick ends the wait for a role.
func (h *handshake) tick(now time.Time) {
	if h.roleBy.IsZero() || now.Before(h.roleBy) {
		return
	}
	if r := h.requests.find(h.role); r != nil {
		h.requests.end(r, nil, ErrTimeout)
	}
}

// require sends a request whose answer, or error, the handshake waits for, and returns its transaction id.
func (h *handshake) require(m openflow.Message, now time.Time, answer func(openflow.Message, error)) uint32 {
	h.waiting++
	return h.requests.ask(m, now, func(reply openflow.Message, err error) {
		if errors.Is(err, ErrClosed) {
			return
		}
		answer(reply, err)
		if h.waiting--; h.waiting > 0 || h.out.closed() {
			return
		}
		if h.roomCheck != nil {
			if err := h.roomCheck(); err != nil {
				h.refuse("too many ports of new switches", err)
				return
			}
		}
		h.stage = stageDone
	})
}

// refusePorts ends the connection of a switch with more ports than it may have.
func (h *handshake) refusePorts(n int) {
	h.refuse("too many ports", fmt.Errorf("%w: %d or more, at most %d are taken", ErrPorts, n, h.cfg.MaxPorts))
}

// onPorts takes the port descriptions; a switch that refuses them has none.
func (h *handshake) onPorts(m openflow.Message, err error) {
	if errors.Is(err, ErrTooLarge) {
		h.refusePorts(h.cfg.MaxPorts + 1)
	}
	if err != nil {
		return
	}
	if l, ok := m.(*openflow.MultipartReply).Body.(*openflow.PortDescList); ok {
		if len(l.Ports) > h.cfg.MaxPorts {
			h.refusePorts(len(l.Ports))
			return
		}
		h.features.Ports = l.Ports
	}
}

// onDesc takes the description; a switch that refuses it has none.
func (h *handshake) onDesc(m openflow.Message, err error) {
	if err != nil {
		return
	}
	if d, ok := m.(*openflow.MultipartReply).Body.(*openflow.Desc); ok {
		h.features.Desc = *d
	}
}
