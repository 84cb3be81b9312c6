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
	// RoleError is why the role asked for by Config.Role was not given; nil if it was, or none was
	// asked for.
	RoleError error
}

// askFeatures is the controller's first message after HELLO.
func (c *Core) askFeatures(now time.Time) {
	c.state = stateFeatures
	c.ask(&openflow.FeaturesRequest{}, now, func(m openflow.Message, err error) {
		switch {
		case err == nil:
			c.onFeatures(m.(*openflow.FeaturesReply))
		case !errors.Is(err, ErrClosed): // the switch does not say what it is
			c.close(err)
		}
	})
	c.asked = c.xid.Load()
}

// onFeatures takes the features reply and asks the owner for an Admission.
func (c *Core) onFeatures(m *openflow.FeaturesReply) {
	if m.Auxiliary != 0 {
		c.refuseSwitch("auxiliary connection", ErrAuxiliary)
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

// admit takes the owner's admission. An admitted switch is asked for the rest, the role first.
func (c *Core) admit(v *Admission, now time.Time) {
	switch {
	case c.state != stateAdmit:
		return
	case errors.Is(v.Err, ErrInUse):
		c.refuseSwitch("datapath id in use", v.Err)
		return
	case v.Err != nil:
		c.refuseSwitch("not admitted", v.Err)
		return
	}
	c.state = stateDescribe
	if c.cfg.Role != nil {
		if role, ok := c.cfg.Role(c.features.Datapath); ok {
			c.require(&role, now, func(_ openflow.Message, err error) { c.features.RoleError = err })
		}
	}
	if c.version != openflow.V10 {
		c.require(&openflow.MultipartRequest{Body: &openflow.PortDescRequest{}}, now, c.onPorts)
	}
	c.require(&openflow.MultipartRequest{Body: &openflow.DescRequest{}}, now, c.onDesc)
	c.send(c.NextXID(), &openflow.SetConfig{MissSendLen: c.cfg.MissSendLen})
}

// refuseSwitch answers the features reply with an error, whose data is text for people, and ends
// the connection.
func (c *Core) refuseSwitch(text string, reason error) {
	c.counts.refused++
	c.send(c.asked, &openflow.ErrorMsg{Code: openflow.BadRequestEPerm, Data: []byte(text)})
	c.close(reason)
}

// require sends a request whose answer, or error, the handshake waits for.
func (c *Core) require(m openflow.Message, now time.Time, answer func(openflow.Message, error)) {
	c.waiting++
	c.ask(m, now, func(reply openflow.Message, err error) {
		if errors.Is(err, ErrClosed) {
			return
		}
		answer(reply, err)
		if c.waiting--; c.waiting > 0 || c.state == stateClosed {
			return
		}
		if c.roomCheck != nil {
			if err := c.roomCheck(); err != nil {
				c.refuseSwitch("too many ports of new switches", err)
				return
			}
		}
		c.connect(now)
	})
}

// refusePorts ends the connection of a switch with more ports than it may have.
func (c *Core) refusePorts(n int) {
	c.refuseSwitch("too many ports", fmt.Errorf("%w: %d or more, at most %d are taken", ErrPorts, n, c.cfg.MaxPorts))
}

// onPorts takes the port descriptions; a switch that refuses them has none.
func (c *Core) onPorts(m openflow.Message, err error) {
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

// onDesc takes the description; a switch that refuses it has none.
func (c *Core) onDesc(m openflow.Message, err error) {
	if err != nil {
		return
	}
	if d, ok := m.(*openflow.MultipartReply).Body.(*openflow.Desc); ok {
		c.features.Desc = *d
	}
}
