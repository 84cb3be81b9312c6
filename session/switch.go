package session

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// receiveFromController takes a message at the switch's end.
func (c *Core) receiveFromController(h openflow.Header, m openflow.Message, frame []byte) {
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
		c.events = append(c.events, Event{Kind: EventFeatures, Header: h})
	case *openflow.GetConfigRequest:
		config := c.config
		c.send(h.XID, &config)
	case *openflow.SetConfig:
		c.config = openflow.GetConfigReply{Flags: m.Flags, MissSendLen: m.MissSendLen}
	case *openflow.BarrierRequest:
		if c.barriers {
			c.deliver(h, m)
			return
		}
		// All before it was handled within the steps before, so its answer is true at once.
		c.send(h.XID, &openflow.BarrierReply{})
	case *openflow.RoleRequest:
		c.answerRole(h, m, frame)
	default:
		c.receiveRequest(h, m, frame)
	}
}

// receiveRequest hands over what the switch's owner answers, and refuses what only switches send.
func (c *Core) receiveRequest(h openflow.Header, m openflow.Message, frame []byte) {
	switch m.Type() {
	case openflow.TypeExperimenter, openflow.TypePacketOut, openflow.TypeFlowMod, openflow.TypeGroupMod,
		openflow.TypePortMod, openflow.TypeTableMod, openflow.TypeMultipartRequest, openflow.TypeMeterMod,
		openflow.TypeQueueGetConfigRequest, openflow.TypeGetAsyncRequest, openflow.TypeSetAsync:
		c.deliver(h, m)
	case openflow.TypeEchoReply:
		c.counts.unmatched++
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
