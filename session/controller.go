package session

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// receiveFromSwitch takes a message at the controller's end.
func (c *Core) receiveFromSwitch(h openflow.Header, m openflow.Message, frame []byte) {
	if c.reply(h, m, frame) {
		return
	}
	switch m.Type() {
	case openflow.TypePacketIn:
		c.deliverReady(h, m)
	case openflow.TypeFlowRemoved, openflow.TypePortStatus, openflow.TypeExperimenter:
		c.deliver(h, m)
	case openflow.TypeMultipartReply:
		if h.XID == 0 { // what nobody asked for: updates of Open vSwitch's flow monitor
			c.deliver(h, m)
			return
		}
		c.counts.unmatched++
	case openflow.TypeFeaturesReply, openflow.TypeGetConfigReply, openflow.TypeBarrierReply, openflow.TypeRoleReply,
		openflow.TypeQueueGetConfigReply, openflow.TypeGetAsyncReply, openflow.TypeEchoReply:
		c.counts.unmatched++
	default:
		c.refuse(h, frame, &openflow.DecodeError{Code: openflow.BadRequestBadType,
			Reason: fmt.Sprintf("%s sent to a controller", m.Type())})
	}
}

// deliverReady delivers what is of no use before the handler knows of the switch.
func (c *Core) deliverReady(h openflow.Header, m openflow.Message) {
	if c.state != stateReady {
		c.counts.early++
		return
	}
	c.deliver(h, m)
}
