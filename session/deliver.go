package session

import (
	"errors"
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// delivery hands what comes to the handler, one call at a time: the hot messages without the core, and without
// memory of their own.
type delivery struct {
	s          *Session       // whose calls they are
	controller Handler        // nil at the switch's end
	switchSide SwitchHandler  // nil at the controller's end
	to         sessionHandler // the one of the two that is not nil
	frames     FrameHandler   // nil if the handler is none
	answers    AnswerHandler  // nil if the handler is none
	turns      TurnHandler    // nil if the handler is none
	connected  bool

	pin    openflow.PacketIn
	mod    *openflow.FlowMod   // made for the first one
	packet *openflow.PacketOut // made for the first one
}

func newDelivery(s *Session, h Handler, sw SwitchHandler) delivery {
	d := delivery{s: s, controller: h, switchSide: sw, to: h}
	if sw != nil {
		d.to = sw
	}
	d.frames, _ = d.to.(FrameHandler)
	d.answers, _ = d.to.(AnswerHandler)
	if s.group.driver == nil {
		d.turns, _ = d.to.(TurnHandler)
	}
	return d
}

// connect calls Connected.
func (d *delivery) connect() {
	d.connected = true
	d.to.Connected(d.s)
}

// batchEnd reports that all input is handed over.
func (d *delivery) batchEnd() {
	if d.connected {
		d.to.BatchEnd(d.s)
	}
}

// fast hands over a message without the core, if it is of a type that is many and well formed, and reports
// whether.
func (d *delivery) fast(h openflow.Header, frame []byte) bool {
	if d.frames != nil && forHandler(h.Type) && d.roleAllows(h.Type) && d.frames.Frame(d.s, h, frame) {
		return true
	}
	if d.answers != nil && isAnswer(h.Type) && d.answers.Answer(d.s, h, frame) {
		return true
	}
	body := frame[openflow.HeaderLen:]
	switch h.Type {
	case openflow.TypePacketIn:
		if d.controller == nil || d.pin.Parse(h.Version, body) != nil {
			return false
		}
		d.controller.PacketIn(d.s, h, &d.pin)
	case openflow.TypeFlowMod:
		if d.switchSide == nil || !d.roleAllows(h.Type) || !d.parseFlowMod(h.Version, body) {
			return false
		}
		d.switchSide.FlowMod(d.s, h, d.mod)
	case openflow.TypePacketOut:
		if d.switchSide == nil || !d.roleAllows(h.Type) || !d.parsePacketOut(h.Version, body) {
			return false
		}
		d.switchSide.PacketOut(d.s, h, d.packet)
	default:
		return false
	}
	return true
}

func (d *delivery) parseFlowMod(v openflow.Version, body []byte) bool {
	if d.mod == nil {
		d.mod = new(openflow.FlowMod)
	}
	return d.mod.Parse(v, body) == nil
}

func (d *delivery) parsePacketOut(v openflow.Version, body []byte) bool {
	if d.packet == nil {
		d.packet = new(openflow.PacketOut)
	}
	return d.packet.Parse(v, body) == nil
}

// roleAllows reports whether the peer's role allows a message of this type.
func (d *delivery) roleAllows(t openflow.Type) bool {
	return d.switchSide == nil || !changesState(t) || d.s.Role() != openflow.RoleSlave
}

// forHandler reports whether messages of a type are for the handler at one of the ends: neither of
// the session itself, nor answers.
func forHandler(t openflow.Type) bool {
	switch t {
	case openflow.TypePacketIn, openflow.TypeFlowRemoved, openflow.TypePortStatus, openflow.TypePacketOut,
		openflow.TypeFlowMod, openflow.TypeGroupMod, openflow.TypePortMod, openflow.TypeTableMod,
		openflow.TypeMultipartRequest, openflow.TypeQueueGetConfigRequest, openflow.TypeMeterMod:
		return true
	}
	return false
}

// isAnswer reports whether messages of a type are answers that an AnswerHandler is shown.
func isAnswer(t openflow.Type) bool {
	switch t {
	case openflow.TypeEchoReply, openflow.TypeFeaturesReply, openflow.TypeMultipartReply, openflow.TypeBarrierReply:
		return true
	}
	return false
}

// features answers the controller's features request. A switch that cannot, with OpenFlow 1.0 for its many ports, is
// of no use to a controller, which would wait in vain: the session ends.
func (d *delivery) features(h openflow.Header) {
	f := d.switchSide.Features(d.s)
	if h.Version != openflow.V10 {
		f.Ports = nil
	}
	if err := d.s.Reply(h.XID, &f); err != nil && !errors.Is(err, ErrFull) && !errors.Is(err, ErrClosed) {
		d.s.Close(fmt.Errorf("the switch's features cannot be sent: %w", err))
	}
}

// message hands over what is no answer. The types that the handler gets otherwise come here too, if
// a step made them.
func (d *delivery) message(e *Event) {
	switch m := e.Message.(type) {
	case *openflow.PacketIn:
		d.controller.PacketIn(d.s, e.Header, m)
	case *openflow.FlowMod:
		d.switchSide.FlowMod(d.s, e.Header, m)
	case *openflow.PacketOut:
		d.switchSide.PacketOut(d.s, e.Header, m)
	case *openflow.BarrierRequest:
		d.switchSide.(BarrierHandler).Barrier(d.s, e.Header) // else the core answers
	default:
		d.to.Message(d.s, e.Header, m)
	}
}
