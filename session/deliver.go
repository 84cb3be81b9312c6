package session

import "github.com/weirnet/weir/openflow"

// receive takes one message that was read: the hot ones of a connected session go straight to the
// handler, all others through the core.
func (s *Session) receive(frame []byte) {
	if s.connected && frame[0] == uint8(s.core.out.version) {
		h, err := openflow.ParseHeader(frame)
		if err == nil && (s.fastPath(h, frame) || h.Type == openflow.TypeMultipartReply && s.deliverPart(h, frame)) {
			s.in.count(h.Type)
			return
		}
	}
	s.step(Input{Frame: frame, Read: s.in.bytes.Load()})
	if h, err := openflow.ParseHeader(frame); err == nil {
		s.in.count(h.Type)
	}
}

// fastPath hands a message to the handler without the core, if it is of a type that is many and
// well formed.
func (s *Session) fastPath(h openflow.Header, frame []byte) bool {
	if s.frames != nil && forHandler(h.Type) && s.roleAllows(h.Type) && s.frames.Frame(s, h, frame) {
		return true
	}
	body := frame[openflow.HeaderLen:]
	switch h.Type {
	case openflow.TypePacketIn:
		if s.controller == nil || s.pin.Parse(h.Version, body) != nil {
			return false
		}
		s.controller.PacketIn(s, h, &s.pin)
	case openflow.TypeFlowMod:
		if s.switchSide == nil || !s.roleAllows(h.Type) || !s.parseFlowMod(h.Version, body) {
			return false
		}
		s.switchSide.FlowMod(s, h, s.mod)
	case openflow.TypePacketOut:
		if s.switchSide == nil || !s.roleAllows(h.Type) || !s.parsePacketOut(h.Version, body) {
			return false
		}
		s.switchSide.PacketOut(s, h, s.packet)
	default:
		return false
	}
	return true
}

func (s *Session) parseFlowMod(v openflow.Version, body []byte) bool {
	if s.mod == nil {
		s.mod = new(openflow.FlowMod)
	}
	return s.mod.Parse(v, body) == nil
}

func (s *Session) parsePacketOut(v openflow.Version, body []byte) bool {
	if s.packet == nil {
		s.packet = new(openflow.PacketOut)
	}
	return s.packet.Parse(v, body) == nil
}

// roleAllows reports whether the peer's role allows a message of this type.
func (s *Session) roleAllows(t openflow.Type) bool {
	return s.switchSide == nil || !changesState(t) || s.core.Role() != openflow.RoleSlave
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

// step has the core take one input and does what it wants.
func (s *Session) step(in Input) {
	now := s.group.now()
	s.mu.Lock()
	r := s.core.Step(in, now)
	s.setDeadline(r.Deadline)
	s.mu.Unlock()
	s.apply(r)
}

// apply queues what the core sends and delivers its events.
func (s *Session) apply(r Ready) {
	if len(r.Send) > 0 {
		s.out.mu.Lock()
		_ = s.out.appendBytes(r.Send, queueReserve) // what is refused is counted there
		s.out.mu.Unlock()
	}
	for i := range r.Events {
		s.event(&r.Events[i])
	}
}

func (s *Session) event(e *Event) {
	switch e.Kind {
	case EventConnected:
		s.notifyConnected()
	case EventFeatures:
		f := s.switchSide.Features(s)
		if s.core.out.version != openflow.V10 {
			f.Ports = nil
		}
		_ = s.Reply(e.Header.XID, &f)
	case EventIdentified:
		s.server.identified(s)
	case EventAlive:
		s.server.alive(s)
	case EventAnswer:
		e.answer(e.Message, e.err)
	case EventMessage:
		s.message(e)
	}
}

// message hands over what is no answer. The types that the handler gets otherwise come here too, if
// a step made them.
func (s *Session) message(e *Event) {
	switch m := e.Message.(type) {
	case *openflow.PacketIn:
		s.controller.PacketIn(s, e.Header, m)
	case *openflow.FlowMod:
		s.switchSide.FlowMod(s, e.Header, m)
	case *openflow.PacketOut:
		s.switchSide.PacketOut(s, e.Header, m)
	case *openflow.BarrierRequest:
		s.switchSide.(BarrierHandler).Barrier(s, e.Header) // else the core answers
	default:
		s.handler.Message(s, e.Header, m)
	}
}

// notifyConnected calls Connected. An older session of the switch has ended: that came before the
// admission.
func (s *Session) notifyConnected() {
	s.mu.Lock()
	s.features = s.core.handshake.features
	s.features.Remote = s.conn.RemoteAddr()
	s.mu.Unlock()
	s.out.mu.Lock()
	s.out.version = s.core.out.version
	s.out.mu.Unlock()
	s.group.connected(s)
	if s.server != nil {
		s.server.connected(s)
	}
	s.connected = true
	s.handler.Connected(s)
}

// batchEnd reports to the handler that all input is handed over, and to the group what is held.
func (s *Session) batchEnd() {
	if s.controller != nil {
		s.hold()
	}
	if s.connected {
		s.handler.BatchEnd(s)
	}
}

// notifyEnd reports the end of the session to the handler, or to Config.Refused if it was refused.
func (s *Session) notifyEnd(reason error) {
	if s.connected {
		s.handler.Disconnected(s, reason)
		return
	}
	f := s.core.handshake.features
	r := Refusal{s.conn.RemoteAddr(), f.Datapath, f.Version != 0, reason}
	switch {
	case s.server != nil:
		s.server.refuse(r)
	case s.cfg.Refused != nil:
		s.cfg.Refused(r)
	}
	if h, ok := s.switchSide.(RefusedHandler); ok {
		h.Refused(reason)
	}
}
