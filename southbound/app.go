package southbound

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/session"
)

// App is an application that takes part in the sessions of switches.
type App interface {
	// SwitchUp begins a session. nil: the application takes no part in it.
	SwitchUp(*Switch) Part
}

// Part is an application's part in one session. What else it wants it says by the interfaces below.
type Part interface {
	// SwitchDown ends it.
	SwitchDown()
}

// What a Part may be besides.
type (
	// Admitter decides which packet-ins are handled at all: a discovery frame, or anything else.
	Admitter interface {
		Admit(port uint32, probe bool) bool
	}
	// PacketHandler sees packet-ins that discovery has seen. Applications behind it do not see those
	// that it reports to have consumed.
	PacketHandler interface {
		PacketIn(*Packet) (consumed bool)
	}
	// BatchHandler is called when all that was read has been handed over.
	BatchHandler interface{ BatchEnd() }
	// FlowRemovedHandler sees flow-removed messages, which may be kept.
	FlowRemovedHandler interface {
		FlowRemoved(*openflow.FlowRemoved)
	}
	// ErrorHandler sees errors of the switch that answer no request.
	ErrorHandler interface{ Refused(*Refusal) }
)

// Packet is a packet-in of a host, parsed once. It is valid during the call.
type Packet struct {
	*openflow.PacketIn
	Key  *packet.Key
	Body int // offset in Data after the headers of Key
}

// Refusal is an error of a switch. It is valid during the call.
type Refusal struct {
	XID   uint32
	Error *openflow.ErrorMsg
	// Match and Cookie are those of the rule that it refuses, if Known: one that was added by Output
	// and not confirmed.
	Match  openflow.Match
	Cookie uint64
	Known  bool
}

// Switch is one session of a switch.
type Switch struct {
	DPID    netview.DPID
	Epoch   uint64 // higher than that of every session before, of any switch
	Version openflow.Version
	Tables  uint8
	Out     *Output
	Session *session.Session

	parts    []Part // of the applications, in their order
	admit    []Admitter
	packets  []PacketHandler
	batches  []BatchHandler
	removals []FlowRemovedHandler
	errors   []ErrorHandler

	key     packet.Key
	packet  Packet
	refusal Refusal
}

// take adds a part.
func (sw *Switch) take(p Part) {
	sw.parts = append(sw.parts, p)
	sw.admit = appendIf(sw.admit, p)
	sw.packets = appendIf(sw.packets, p)
	sw.batches = appendIf(sw.batches, p)
	sw.removals = appendIf(sw.removals, p)
	sw.errors = appendIf(sw.errors, p)
}

// appendIf appends a part to those that are a T, if it is one.
func appendIf[T any](list []T, p Part) []T {
	if t, ok := p.(T); ok {
		return append(list, t)
	}
	return list
}

// refused is the error of a transaction id, with the rule that it refuses. It is valid until the next
// one.
func (sw *Switch) refused(xid uint32, e *openflow.ErrorMsg) *Refusal {
	r := &sw.refusal
	r.XID, r.Error = xid, e
	r.Match, r.Cookie, r.Known = sw.Out.rule(xid)
	return r
}
