package southbound

import (
	"sync"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/session"
)

// App is an application that takes part in the sessions of switches.
type App interface {
	// SwitchUp begins a session: the switch is connected. Whether this instance may write to it is
	// another thing: see MasterHandler. nil: the application takes no part in it.
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
	// ErrorHandler sees the switch's errors about what was written through an Output that was made
	// with it. Those that answer a request go to who asked.
	ErrorHandler interface{ Refused(*Refusal) }
	// MasterHandler learns whether this instance may write to the switch: when the session has begun,
	// if it may not, and whenever that changes. It is called on any goroutine, one call at a time, before
	// SwitchDown, and must not block. What is written meanwhile is refused with ErrNotMaster.
	MasterHandler interface{ Mastered(bool) }
)

// Packet is a packet-in of a host, parsed once. It is valid during the call.
type Packet struct {
	*openflow.PacketIn
	Key  *packet.Key
	Body int // offset in Data after the headers of Key
}

// Refusal is an error of a switch about a message. It is valid during the call.
type Refusal struct {
	XID   uint32
	Error *openflow.ErrorMsg
	// Number is what the owner gave to the messages that it sent together, and Index says which of
	// them is refused; 0 for what has none.
	Number uint64
	Index  int
	// Match and Cookie are those of the rule that it refuses, if Known: one that was added by
	// Output.FlowMod and not confirmed.
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
	Session *session.Session

	queue    *queue
	parts    []Part // of the applications, in their order
	admit    []Admitter
	packets  []PacketHandler
	batches  []BatchHandler
	removals []FlowRemovedHandler
	masters  []MasterHandler

	telling sync.Mutex // guards what follows, and orders what parts are told of mastership
	denied  bool       // they were told that this instance may not write
	ended   bool

	key     packet.Key
	packet  Packet
	refusal Refusal
}

// Output makes an owner's way to the switch in this session. Errors about what is written through it go
// to refused, which may be nil.
func (sw *Switch) Output(owner string, refused ErrorHandler) *Output {
	return sw.queue.output(owner, refused)
}

// take adds a part.
func (sw *Switch) take(p Part) {
	sw.parts = append(sw.parts, p)
	sw.admit = appendIf(sw.admit, p)
	sw.packets = appendIf(sw.packets, p)
	sw.batches = appendIf(sw.batches, p)
	sw.removals = appendIf(sw.removals, p)
	sw.masters = appendIf(sw.masters, p)
}

// appendIf appends a part to those that are a T, if it is one.
func appendIf[T any](list []T, p Part) []T {
	if t, ok := p.(T); ok {
		return append(list, t)
	}
	return list
}
