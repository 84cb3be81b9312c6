package session

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// switchEnd is what a switch's end has besides.
type switchEnd struct {
	config   openflow.GetConfigReply // as the controller has set it
	roles    *Roles                  // of all connections of the switch; nil at the controller's end
	barriers bool                    // the owner answers barriers, as a BarrierHandler
}

// leave ends its role.
func (e *switchEnd) leave(role *heldRole) {
	if e.roles != nil {
		e.roles.leave(role)
	}
}

// takeFromController takes a message at the switch's end.
func (c *Core) takeFromController(h openflow.Header, m openflow.Message, frame []byte) {
	if c.reply(h, m, frame) {
		return
	}
	if changesState(m.Type()) && c.Role() == openflow.RoleSlave {
		c.refuse(h, frame, &openflow.DecodeError{Code: openflow.BadRequestIsSlave,
			Reason: fmt.Sprintf("%s from a slave", m.Type())})
		return
	}
	switch m := m.(type) {
	case *openflow.FeaturesRequest:
		c.out.deliver(Event{Kind: EventFeatures, Header: h})
	case *openflow.GetConfigRequest:
		config := c.ofSwitch.config
		c.out.message(h.XID, &config)
	case *openflow.SetConfig:
		c.ofSwitch.config = openflow.GetConfigReply{Flags: m.Flags, MissSendLen: m.MissSendLen}
	case *openflow.BarrierRequest:
		if c.ofSwitch.barriers {
			c.deliver(h, m)
			return
		}
		// All before it was handled within the steps before, so its answer is true at once.
		c.out.message(h.XID, &openflow.BarrierReply{})
	case *openflow.RoleRequest:
		reply, err := c.ofSwitch.roles.request(&c.role, c.out.version, m)
		if err != nil {
			c.refuse(h, frame, err)
			return
		}
		c.out.message(h.XID, reply)
	default:
		c.takeRequest(h, m, frame)
	}
}

// takeRequest hands over what the switch's owner answers, and refuses what only switches send.
func (c *Core) takeRequest(h openflow.Header, m openflow.Message, frame []byte) {
	switch m.Type() {
	case openflow.TypeExperimenter, openflow.TypePacketOut, openflow.TypeFlowMod, openflow.TypeGroupMod,
		openflow.TypePortMod, openflow.TypeTableMod, openflow.TypeMultipartRequest, openflow.TypeMeterMod,
		openflow.TypeQueueGetConfigRequest, openflow.TypeGetAsyncRequest, openflow.TypeSetAsync:
		c.deliver(h, m)
	case openflow.TypeEchoReply:
		c.out.counts.unmatched++
	default:
		c.refuse(h, frame, &openflow.DecodeError{Code: openflow.BadRequestBadType,
			Reason: fmt.Sprintf("%s sent to a switch", m.Type())})
	}
}

// changesState reports whether a slave may not send a message: those by which a controller changes
// the switch.
func changesState(t openflow.Type) bool {
	switch t {
	case openflow.TypePacketOut, openflow.TypeFlowMod, openflow.TypeGroupMod, openflow.TypePortMod,
		openflow.TypeTableMod, openflow.TypeMeterMod:
		return true
	}
	return false
}
