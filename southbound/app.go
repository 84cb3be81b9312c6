package southbound

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/session"
)

// App is an application that takes part in the sessions of switches.
type App interface {
	Name() string
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
	// Claimer takes packet-ins before anybody else sees them, admission and discovery included. The
	// packet-in is valid during the call. A contained application is none.
	Claimer interface {
		Claim(*openflow.PacketIn) bool
	}
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
	// RemovedFrameHandler sees the bytes of those flow-removed messages that flowsync handles as such, in great numbers,
	// and that no FlowRemovedHandler sees: of firm entries of ours that no time-out ended. They are valid during the call.
	// A contained application is none.
	RemovedFrameHandler interface {
		RemovedFrame(v openflow.Version, frame []byte)
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
	parts    []handler[Part] // of the applications, in their order
	claim    []handler[Claimer]
	admit    []handler[Admitter]
	packets  []handler[PacketHandler]
	batches  []handler[BatchHandler]
	removals []handler[FlowRemovedHandler]
	frames   []handler[RemovedFrameHandler]
	masters  []handler[MasterHandler]

	calls   Calls        // the reader's, of applications
	app     int          // whose SwitchUp is called; noApp: none's
	contain *Containment // its; nil: none

	role granted // what the switch has given this instance
	told told    // of mastership, to the parts

	key     packet.Key
	packet  Packet
	refusal Refusal
}

// Output makes an owner's way to the switch in this session, and is called in SwitchUp. Errors about what
// is written through it go to refused, which may be nil.
func (sw *Switch) Output(owner string, refused ErrorHandler) *Output {
	if sw.contain != nil && refused != nil {
		refused = containedErrors{sw.contain, refused}
	}
	o := sw.queue.output(owner, refused)
	o.app, o.contain = sw.app, sw.contain
	return o
}

// noApp is in place of an application's number.
const noApp = -1

// handler is what an application's part wants of a session.
type handler[T any] struct {
	app int // its number, in the order of applications
	to  T
}

// begin begins an application's part in the session.
func (sw *Switch) begin(app int, a App) {
	sw.app = app
	sw.calls.Begin(app)
	switch p := a.SwitchUp(sw).(type) {
	case nil:
	case *containedPart:
		sw.takeContained(app, p)
	default:
		sw.parts = append(sw.parts, handler[Part]{app, p})
		sw.claim = appendIf(sw.claim, app, p)
		sw.admit = appendIf(sw.admit, app, p)
		sw.packets = appendIf(sw.packets, app, p)
		sw.batches = appendIf(sw.batches, app, p)
		sw.removals = appendIf(sw.removals, app, p)
		sw.frames = appendIf(sw.frames, app, p)
		sw.masters = appendIf(sw.masters, app, p)
	}
	sw.calls.End()
	sw.app = noApp
}

// appendIf appends a part to those that are a T, if it is one.
func appendIf[T any](list []handler[T], app int, p Part) []handler[T] {
	if t, ok := p.(T); ok {
		return append(list, handler[T]{app, t})
	}
	return list
}
