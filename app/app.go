package app

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/southbound"
)

// Spec is an application as an instance lists it.
type Spec struct {
	Name string // in the API, metrics, alarms and --disable-app: lower-case letters, digits and -, such as "ethertypes"
	Text string // what it does, in a line
	// Settings is a struct whose fields are what the configuration may say of the application, nil
	// without any. Fields are of type bool, uint64, string, time.Duration, or lists of these, with the tags
	// yaml:"NAME", doc, default, min and max of numbers, enum:"A,B" of texts, and restart:"true" where a
	// change holds from the next start. The zero value is that of a field of which nothing is said.
	Settings any
	New      func(Env) (App, error)
}

// Env is what an application may use of its instance.
type Env struct {
	Settings any // of the type of Spec.Settings, with defaults
	View     View
	Alarms   Alarms
	Log      *slog.Logger
	Now      func() time.Time
}

// View is the network as the instance sees it, to be read.
type View interface {
	Snapshot() *netview.Snapshot
}

// Alarms takes an application's alarms, of the kind "application". An object is what an alarm is about:
// a switch, a host, or empty for the application itself. Text is one sentence for people.
type Alarms interface {
	Raise(object, text string)
	Clear(object string)
}

// App is an application. What it wants it says by the interfaces below. Its methods are called by one
// goroutine, one at a time. One that does not return is left alone, with an alarm, and one that panics
// is not called again.
type App any

// What an App may be.
type (
	// SwitchHandler learns of the sessions of switches.
	SwitchHandler interface {
		SwitchUp(*Switch)
		SwitchDown(*Switch)
	}
	// PacketHandler sees packet-ins that match any of the filters, after the built-in applications. Filters
	// is asked once, and without one there are none; a Packet is valid during the call.
	PacketHandler interface {
		Filters() []Filter
		PacketIn(*Packet)
	}
	// FlowRemovedHandler sees what switches say of entries that have run out or were deleted.
	FlowRemovedHandler interface {
		FlowRemoved(*Switch, *openflow.FlowRemoved)
	}
	// ErrorHandler sees the switches' errors about what the application has sent.
	ErrorHandler interface {
		Refused(*Switch, *openflow.ErrorMsg)
	}
	// MasterHandler learns whether this instance may write to a switch: after SwitchUp, if it may not, and
	// whenever that changes.
	MasterHandler interface {
		Mastered(sw *Switch, on bool)
	}
	// ViewHandler is called when the view has changed, with what it is by then; at first with what it is at
	// the start.
	ViewHandler interface {
		ViewChanged(*netview.Snapshot)
	}
	// SettingsHandler is given the settings, as Env has them, when some that need no restart have changed.
	// It is required of an application that has such.
	SettingsHandler interface {
		SettingsChanged(settings any)
	}
	// Periodic is called about every period, which is asked for once and at least MinPeriod.
	Periodic interface {
		Period() time.Duration
		Tick(now time.Time)
	}
	// Server has routes of the API, below /v1/apps/NAME. It is asked once.
	Server interface {
		Routes() []Route
	}
)

// MinPeriod is the shortest period of Periodic.
const MinPeriod = 100 * time.Millisecond

// Filter selects packet-ins: those that agree with all its fields that are not 0.
type Filter struct {
	EtherType uint16 // after the tags
	IPProto   uint8  // TCP is 6, UDP 17
	Port      uint16 // of TCP, UDP or SCTP, at either end
	VLAN      uint16 // id of the outer tag
}

// matches reports whether a packet is selected.
func (f *Filter) matches(k *packet.Key) bool {
	return (f.EtherType == 0 || f.EtherType == k.EtherType) && (f.IPProto == 0 || f.IPProto == k.IPProto) &&
		(f.Port == 0 || f.Port == k.SrcPort || f.Port == k.DstPort) && (f.VLAN == 0 || f.VLAN == k.VLAN&0xfff)
}

// Packet is a packet-in of a host.
type Packet struct {
	Switch *Switch
	Port   uint32 // where it came in
	Key    packet.Key
	Data   []byte // the frame, or its beginning
}

// Switch is one session of a switch. A later session of the same switch is another Switch.
type Switch struct {
	DPID    netview.DPID
	Epoch   uint64 // higher than that of every session before, of any switch
	Version openflow.Version

	host   *Host
	out    *southbound.Output
	second time.Time // in which sent counts
	sent   int
	unsent bool // something was written since the last flush
}

// ErrFlood refuses a message above OutputRate.
var ErrFlood = fmt.Errorf("app: more than %d messages in a second to one switch", OutputRate)

// PacketOut sends a packet-out. It is encoded before the call returns, and does not block: the error is
// ErrFlood, session.ErrFull, southbound.ErrNotMaster, or that of an ended session.
func (s *Switch) PacketOut(m *openflow.PacketOut) error {
	err := s.host.mayWrite(s)
	if err == nil {
		err = s.out.PacketOut(m)
	}
	s.host.written(s, err)
	return err
}
