package session

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/weirnet/weir/openflow"
)

// Features is what a switch said of itself in the handshake. Ports are those at that time; port status messages that
// come later are the handler's.
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
	// RoleError is why the role asked for by Config.Role was not given; nil if it was, or none was asked for.
	RoleError error
}

// askFeatures is the controller's first message after HELLO.
func (c *Core) askFeatures(now time.Time) {
	c.state = stateFeatures
	c.ask(&openflow.FeaturesRequest{}, now, func(m openflow.Message, err error) {
		if err != nil {
			c.failHandshake(err)
			return
		}
		c.learnFeatures(m.(*openflow.FeaturesReply))
	})
	c.asked = c.xid.Load()
}

// failHandshake ends a connection whose switch does not say what it is.
func (c *Core) failHandshake(err error) {
	if errors.Is(err, ErrClosed) {
		return
	}
	c.close(err)
}

// learnFeatures takes the features reply: the owner is asked whether this switch may connect.
func (c *Core) learnFeatures(m *openflow.FeaturesReply) {
	if m.Auxiliary != 0 {
		c.expel("auxiliary connection", ErrAuxiliary)
		return
	}
	if len(m.Ports) > c.cfg.MaxPorts {
		c.refusePorts(len(m.Ports))
		return
	}
	c.features = Features{Datapath: m.DatapathID, Version: c.version, Buffers: m.Buffers, Tables: m.Tables,
		Capabilities: m.Capabilities, Actions: m.Actions, Ports: m.Ports}
	c.state = stateAdmit
	c.events = append(c.events, Event{Kind: EventIdentified})
}

// admit takes the owner's verdict. A switch that may connect is asked for the rest, the role first.
func (c *Core) admit(v *Verdict, now time.Time) {
	switch {
	case c.state != stateAdmit:
		return
	case errors.Is(v.Err, ErrInUse):
		c.expel("datapath id in use", v.Err)
		return
	case v.Err != nil:
		c.expel("not admitted", v.Err)
		return
	}
	c.state = stateDescribe
	if c.cfg.Role != nil {
		if role, ok := c.cfg.Role(c.features.Datapath); ok {
			c.need(&role, now, func(_ openflow.Message, err error) { c.features.RoleError = err })
		}
	}
	if c.version != openflow.V10 {
		c.need(&openflow.MultipartRequest{Body: &openflow.PortDescRequest{}}, now, c.learnPorts)
	}
	c.need(&openflow.MultipartRequest{Body: &openflow.DescRequest{}}, now, c.learnDesc)
	c.send(c.NextXID(), &openflow.SetConfig{MissSendLen: c.cfg.MissSendLen})
}

// expel answers the features reply with an error, whose data is text for people, and ends the connection.
func (c *Core) expel(text string, reason error) {
	c.counts.refused++
	c.send(c.asked, &openflow.ErrorMsg{Code: openflow.BadRequestEPerm, Data: []byte(text)})
	c.close(reason)
}

// need asks something without whose answer, be it an error, the handshake is not done.
func (c *Core) need(m openflow.Message, now time.Time, answer func(openflow.Message, error)) {
	c.waiting++
	c.ask(m, now, func(reply openflow.Message, err error) {
		if errors.Is(err, ErrClosed) {
			return
		}
		answer(reply, err)
		if c.waiting--; c.waiting == 0 && c.state != stateClosed {
			c.connect(now)
		}
	})
}

// refusePorts ends the connection of a switch with more ports than it may have.
func (c *Core) refusePorts(n int) {
	c.expel("too many ports", fmt.Errorf("%w: %d or more, at most %d are taken", ErrPorts, n, c.cfg.MaxPorts))
}

// learnPorts takes the port descriptions; a switch that refuses them has none that we know.
func (c *Core) learnPorts(m openflow.Message, err error) {
	if errors.Is(err, ErrTooLarge) {
		c.refusePorts(c.cfg.MaxPorts + 1)
	}
	if err != nil {
		return
	}
	if l, ok := m.(*openflow.MultipartReply).Body.(*openflow.PortDescList); ok {
		if len(l.Ports) > c.cfg.MaxPorts {
			c.refusePorts(len(l.Ports))
			return
		}
		c.features.Ports = l.Ports
	}
}

// learnDesc takes the description; a switch that refuses it has none.
func (c *Core) learnDesc(m openflow.Message, err error) {
	if err != nil {
		return
	}
	if d, ok := m.(*openflow.MultipartReply).Body.(*openflow.Desc); ok {
		c.features.Desc = *d
	}
}
