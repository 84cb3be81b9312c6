package session

import "github.com/weirnet/weir/openflow"

// Handler is the controller's side of its switches. All calls for one session come from its reader,
// in the order of the wire and one at a time; calls for different sessions are concurrent. A call
// must not block: it holds up its session, and Request's answer can not come while it waits.
type Handler interface {
	// Connected is called when the handshake is done: Session.Features has the switch's answer. It
	// comes first.
	Connected(s *Session)
	// PacketIn hands over a packet. The packet-in and all it points to are valid during the call
	// only.
	PacketIn(s *Session, h openflow.Header, pin *openflow.PacketIn)
	// BatchEnd is called when all that was read has been handed over; what was sent meanwhile
	// leaves after it.
	BatchEnd(s *Session)
	// Message hands over what is not a packet-in and not the answer to a request: port status, flow
	// removed, errors, experimenter messages, multipart replies with transaction id 0. The message
	// may be kept.
	Message(s *Session, h openflow.Header, m openflow.Message)
	// Disconnected is called when the session has ended, with why (the error wraps ErrClosed). It
	// comes last, after all open requests were answered. It is not called for a session that was
	// not Connected.
	Disconnected(s *Session, err error)
}

// SwitchHandler is the switch's side of its controller. The rules for calls are those of Handler.
// The session itself answers echo, configuration, role and barrier requests (but see
// BarrierHandler).
type SwitchHandler interface {
	// Connected is called when a version is negotiated. It comes first.
	Connected(s *Session)
	// Features is asked what the switch is, for each features request. Ports are sent in OpenFlow
	// 1.0 only.
	Features(s *Session) openflow.FeaturesReply
	// FlowMod hands over a flow-mod, valid during the call only.
	FlowMod(s *Session, h openflow.Header, fm *openflow.FlowMod)
	// PacketOut hands over a packet-out, valid during the call only.
	PacketOut(s *Session, h openflow.Header, po *openflow.PacketOut)
	// BatchEnd is called when all that was read has been handed over; what was sent meanwhile
	// leaves after it.
	BatchEnd(s *Session)
	// Message hands over all else: multipart, group, meter, port and table requests, experimenter
	// messages. The message may be kept. What is asked in it is answered with Session.Reply.
	Message(s *Session, h openflow.Header, m openflow.Message)
	// Disconnected is called when the session has ended, with why (the error wraps ErrClosed). It
	// comes last. It is not called for a session that was not Connected.
	Disconnected(s *Session, err error)
}

// sessionHandler is what the handlers of both ends have.
type sessionHandler interface {
	Connected(s *Session)
	BatchEnd(s *Session)
	Message(s *Session, h openflow.Header, m openflow.Message)
	Disconnected(s *Session, err error)
}

// BarrierHandler may be implemented by a SwitchHandler that does messages later than they come: the
// session leaves the answers to barriers to it. It sends a BarrierReply by Session.Reply when all
// that came before the barrier is done, and does nothing before that came after it.
type BarrierHandler interface {
	Barrier(s *Session, h openflow.Header)
}

// TurnHandler may be implemented by a SwitchHandler whose sessions take turns with others: messages that were read are handed
// over during a turn only. It is not asked in sessions of a Driver.
type TurnHandler interface {
	// BeginTurn begins a turn, before Connected too. It may wait; false: the session is being closed.
	BeginTurn() bool
	// TurnOver is called after each message. If it is true, BatchEnd and NextTurn come next.
	TurnOver() bool
	// NextTurn is EndTurn and BeginTurn: more has been read.
	NextTurn() bool
	// EndTurn ends the turn, when what was answered and sent has been written, as far as the peer takes it at once.
	EndTurn()
}

// RefusedHandler may be implemented by a SwitchHandler that wants to know why a session has ended
// that was not Connected.
type RefusedHandler interface {
	Refused(err error)
}

// FrameHandler may be implemented by a Handler or SwitchHandler that wants messages as bytes,
// without their being parsed: load generators. Frame is called for packet-ins, port statuses and
// flow-removed messages, and for all requests and modifications that a SwitchHandler would get
// except experimenter messages. The bytes are valid during the call, and only their length is
// checked. Where it returns false the message goes the usual way.
type FrameHandler interface {
	Frame(s *Session, h openflow.Header, frame []byte) bool
}

// AnswerHandler may be implemented by a Handler that sends requests as bytes (SendBytes): Answer is called for
// the answers to requests for echo, features, statistics and barriers, those that the session asked for included.
// The bytes are valid during the call, and only their length is checked. Where it returns false the answer goes
// the usual way.
type AnswerHandler interface {
	Answer(s *Session, h openflow.Header, frame []byte) bool
}
