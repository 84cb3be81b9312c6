package hub

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Switch is a switch without ports, of this datapath id: it answers the handshake, and forwards
// nothing.
type Switch uint64

// Connected implements session.SwitchHandler.
func (Switch) Connected(*session.Session) {}

// Features implements session.SwitchHandler.
func (s Switch) Features(*session.Session) openflow.FeaturesReply {
	return openflow.FeaturesReply{DatapathID: uint64(s), Tables: 254}
}

// FlowMod implements session.SwitchHandler.
func (Switch) FlowMod(*session.Session, openflow.Header, *openflow.FlowMod) {}

// PacketOut implements session.SwitchHandler.
func (Switch) PacketOut(*session.Session, openflow.Header, *openflow.PacketOut) {}

// BatchEnd implements session.SwitchHandler.
func (Switch) BatchEnd(*session.Session) {}

// Disconnected implements session.SwitchHandler.
func (Switch) Disconnected(*session.Session, error) {}

// Message implements session.SwitchHandler.
func (Switch) Message(s *session.Session, h openflow.Header, m openflow.Message) {
	r, ok := m.(*openflow.MultipartRequest)
	if !ok {
		return
	}
	switch r.Body.(type) {
	case *openflow.PortDescRequest:
		_ = s.Reply(h.XID, &openflow.MultipartReply{Body: &openflow.PortDescList{}})
	case *openflow.DescRequest:
		_ = s.Reply(h.XID, &openflow.MultipartReply{Body: &openflow.Desc{}})
	case *openflow.FlowRequest:
		_ = s.Reply(h.XID, &openflow.MultipartReply{Body: &openflow.FlowStatsList{}})
	}
}
