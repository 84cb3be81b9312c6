package agent

import (
	"errors"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Packet-ins are lost while more than maxAsync bytes wait for a controller, besides the statistics
// it has asked for; where fewer bytes may wait (SetRoom), more than a part of these. Answers, and what tells of lost
// entries and changed ports, go on. Below littleAsync the statistics have left.
const (
	maxAsync    = 1 << 20
	asyncPart   = session.DefaultMaxQueue / maxAsync
	littleAsync = 64 << 10
)

// Switch is what an Agent answers for. Its methods are called by the session's reader, without a lock.
type Switch interface {
	// Tables calls f with the switch's tables, the time, and where to send what comes of it, while nobody else uses
	// them. It returns false, and does not call f, if the connection is not one of these tables any more; else the
	// error of f.
	Tables(f func(t *flowtable.Switch, now time.Duration, out flowtable.Output) error) (ok bool, err error)
	// Desc describes the switch.
	Desc() *openflow.Desc
	// Show is called, within Tables, with each list of entries before it is sent, and may leave some out.
	Show(openflow.ReplyBody)
	// PortMod configures a port, as flowtable.Switch.PortMod.
	PortMod(v openflow.Version, m *openflow.PortMod) (ok bool, err error)
}

// Witness may be implemented by a Switch that wants to know which changes of groups, meters and tables were done.
type Witness interface {
	// Accepted is called within Tables.
	Accepted(m openflow.Message)
}

// Agent is the switch's end of one connection. Attach has to be called before all else.
type Agent struct {
	of      Switch
	session *session.Session
	version openflow.Version
	parts   map[uint32]*openflow.MultipartRequest // that have come, of requests in several parts; of the reader
	refused map[uint32]bool                       // requests that were refused, and of which parts are to come; of the reader

	// What follows is guarded by what guards the tables.
	async  openflow.AsyncMasks
	room   int               // bytes of maxAsync
	unsent uint64            // packet-ins that were lost before the session was given them
	asked  int               // bytes of statistics that may wait still
	pin    openflow.PacketIn // memory that is used again
}

// New returns the end of a connection of a switch.
func New(of Switch) Agent { return Agent{of: of, async: DefaultAsync, room: maxAsync} }

// SetRoom has so many bytes wait for the controller from now on. What does not fit is lost. It is called after Attach, with
// what guards the tables.
func (a *Agent) SetRoom(bytes int) {
	a.room = bytes / asyncPart
	session.SetMaxQueue(a.session, bytes)
}

// Attach takes the session, when the handshake is done.
func (a *Agent) Attach(s *session.Session) { a.session, a.version = s, s.Version() }

// Version is the version that the controller speaks.
func (a *Agent) Version() openflow.Version { return a.version }

// do calls f with the tables, and answers an error of f.
func (a *Agent) do(s *session.Session, h openflow.Header, m openflow.Message,
	f func(t *flowtable.Switch, now time.Duration, out flowtable.Output) error) {
	if _, err := a.of.Tables(f); err != nil {
		Refuse(s, h, m, err)
	}
}

// change calls f, which changes the tables, and answers an error of f.
func (a *Agent) change(s *session.Session, h openflow.Header, m openflow.Message,
	f func(t *flowtable.Switch, now time.Duration, out flowtable.Output) error) {
	a.do(s, h, m, func(t *flowtable.Switch, now time.Duration, out flowtable.Output) error {
		err := f(t, now, out)
		if w, ok := a.of.(Witness); ok && err == nil {
			w.Accepted(m)
		}
		return err
	})
}

// PacketIn sends a packet to the controller. Wanted is false if it gets none of these; sent, if too much waits for it. The
// tables are not used by others meanwhile.
func (a *Agent) PacketIn(p *flowtable.PacketIn) (wanted, sent bool) {
	if p.Only10 && a.version != openflow.V10 || !a.wants(asyncPacketIn, uint8(p.Reason)) {
		return false, false
	}
	waiting := a.session.Queue()
	if waiting < littleAsync {
		a.asked = 0
	}
	if waiting > a.room+a.asked {
		a.unsent++
		return true, false
	}
	p.Message(&a.pin, a.version, a.session.SwitchConfig().MissSendLen)
	_, err := a.session.Send(&a.pin)
	a.pin.Data = nil
	return true, err == nil
}

// Unsent is how many messages were lost, as too many bytes waited for the controller. The tables are not used by others
// meanwhile.
func (a *Agent) Unsent() uint64 { return a.unsent + a.session.Stats().Full }

// FlowRemoved tells that an entry went.
func (a *Agent) FlowRemoved(m *openflow.FlowRemoved) {
	if a.wants(asyncFlowRemoved, uint8(m.Reason)) {
		_, _ = a.session.Send(m)
	}
}

// PortStatus tells that a port changed.
func (a *Agent) PortStatus(reason openflow.PortReason, p openflow.Port) {
	if a.wants(asyncPortStatus, uint8(reason)) {
		_, _ = a.session.Send(&openflow.PortStatus{Reason: reason, Port: flowtable.PortIn(a.version, p)})
	}
}

// Refuse answers a message with the specification's error; not if the session has ended.
func Refuse(s *session.Session, h openflow.Header, m openflow.Message, why error) {
	if sessionGone(why) {
		return
	}
	d := &openflow.DecodeError{Code: openflow.BadRequestBadType, Reason: why.Error()}
	var refused *flowtable.Error
	if errors.As(why, &refused) {
		d.Code = refused.Code
	}
	frame, err := openflow.Append(nil, s.Version(), h.XID, m)
	if err != nil {
		frame = []byte{uint8(s.Version())}
	}
	_ = s.Reply(h.XID, openflow.NewError(d, frame))
}
