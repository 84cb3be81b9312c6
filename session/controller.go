package session

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// takeFromSwitch takes a message at the controller's end.
func (c *Core) takeFromSwitch(h openflow.Header, m openflow.Message, frame []byte) {
	if c.reply(h, m, frame) {
		return
	}
	switch m.Type() {
	case openflow.TypePacketIn:
		if c.state != stateReady { // of no use before the handler knows of the switch
			c.out.counts.early++
			return
		}
		c.deliver(h, m)
	case openflow.TypeFlowRemoved, openflow.TypePortStatus, openflow.TypeExperimenter:
		c.deliver(h, m)
	case openflow.TypeMultipartReply:
		if h.XID == 0 { // what nobody asked for: updates of Open vSwitch's flow monitor
			c.deliver(h, m)
			return
		}
		c.out.counts.unmatched++
	case openflow.TypeFeaturesReply, openflow.TypeGetConfigReply, openflow.TypeBarrierReply, openflow.TypeRoleReply,
		openflow.TypeQueueGetConfigReply, openflow.TypeGetAsyncReply, openflow.TypeEchoReply:
		c.out.counts.unmatched++
	default:
		c.refuse(h, frame, &openflow.DecodeError{Code: openflow.BadRequestBadType,
			Reason: fmt.Sprintf("%s sent to a controller", m.Type())})
	}
}

// reply takes a message that may be the answer to a request, and reports whether it was.
func (c *Core) reply(h openflow.Header, m openflow.Message, frame []byte) bool {
	if !c.requests.reply(h, m, len(frame)) {
		return false
	}
	if role, ok := m.(*openflow.RoleReply); ok {
		c.role.set(role.Role)
	}
	return true
}
