package netview

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// DPID is a datapath id, the 64-bit name of a switch. It prints as 16 hexadecimal digits.
type DPID uint64

// String is the id as 16 hexadecimal digits.
func (d DPID) String() string { return fmt.Sprintf("%016x", uint64(d)) }

// Point is a port of a switch: a connect point. Port has the number that OpenFlow 1.3 gives it.
type Point struct {
	DPID DPID
	Port uint32
}

// String is the point as DPID/port.
func (p Point) String() string { return fmt.Sprintf("%s/%d", p.DPID, p.Port) }

// SwitchState is whether a switch has a session.
type SwitchState string

// The states of a switch.
const (
	SwitchReady        SwitchState = "ready"        // connected, its ports known
	SwitchDisconnected SwitchState = "disconnected" // its session is gone; what is known of it stays ("unknown is not down")
)

// Switch is a switch as its handshake and its port statuses describe it. Ports are ordered by
// number.
type Switch struct {
	DPID         DPID
	Name         string // configured, or as the switch calls itself
	State        SwitchState
	Connected    bool
	Version      openflow.Version
	Address      string // of the switch's end of the control connection
	Desc         openflow.Desc
	Buffers      uint32
	Tables       uint8
	Capabilities uint32
	Ports        []Port
	Since        time.Time // of the last change of Connected
	// Settled is true once discovery has found, since the switch connected, what there is to find
	// at it: every link heard twice, or two LLDP periods gone. Until then nothing of ours is
	// removed from it.
	Settled bool

	// Transient is true of a switch that lost its session before it was a minute old, and that no
	// switch with a session has a link to: nothing of it is remembered.
	Transient bool

	Source *FactSource // who says it; the view writes it

	// Derived from Settings and Masters with each transaction; what a writer puts here is overwritten.
	NameSource Source // SourceConfigured, or none
	Location   string
	Draining   bool   // paths are leaving it, or have left
	Master     string // the instance that alone may write to it, connected or not; empty: not known
}

// Port finds a port by number.
func (s *Switch) Port(number uint32) (Port, bool) {
	for i := range s.Ports {
		if s.Ports[i].Number == number {
			return s.Ports[i], true
		}
	}
	return Port{}, false
}

// OwnName is what a switch calls itself, or its datapath id. "None" is what Open vSwitch says when
// it was given no name.
func (s *Switch) OwnName() string {
	if s.Desc.Datapath == "" || s.Desc.Datapath == "None" {
		return s.DPID.String()
	}
	return s.Desc.Datapath
}

// PortRole is what discovery knows about what is behind a port.
type PortRole uint8

// The roles of a port.
const (
	// not yet silent for long enough, or a link was here and may be again: carries no broadcast and
	// no host
	PortUnknown PortRole = iota
	PortEdge             // probed, silent, and nothing says that another switch of ours is here: hosts may be
	PortLink             // a link to another switch is here
	// a frame from another port of ours arrives where hosts are: carries no broadcast, and the
	// hosts stay
	PortBlocked
)

// String is "unknown", "edge", "link" or "blocked".
func (r PortRole) String() string { return [...]string{"unknown", "edge", "link", "blocked"}[r] }

// Port is a port of a switch. Up is true when it is neither administratively down nor without
// carrier.
type Port struct {
	Number    uint32
	Name      string
	MAC       packet.MAC
	Up        bool
	SpeedMbps uint64 // 0 if not known
	Role      PortRole

	// Derived from Settings and Reservations with each transaction; what a writer puts here is overwritten.
	Label    string // what operators call it
	Edge     bool   // configured to be no link, whatever is heard there
	Draining bool   // paths leave it, or have left
	Reserved bool   // a tenant's alone (Reservations): nobody else sends packets out of it
}

// LinkState is how certain a link is.
type LinkState string

// The states of a link.
const (
	LinkConfirmed   LinkState = "confirmed"   // heard within the ageing time
	LinkUnconfirmed LinkState = "unconfirmed" // an end's control session is gone: existing paths stay, new ones avoid it
	// something that is no switch of ours forwards frames between the two ports: used only if
	// Settings.Indirect
	LinkIndirect LinkState = "indirect"
	// as indirect, with more than two ports of ours on it: never used, a tree of links could not
	// keep loops out
	LinkShared LinkState = "shared"
)

// LinkWidth is whether a link carries frames of Settings.LinkFrame bytes.
type LinkWidth uint8

// The widths of a link.
const (
	WidthUnknown LinkWidth = iota // not found out
	WidthNarrow                   // it carries shorter frames only
	WidthFull                     // it carries them
)

// String is "unknown", "narrow" or "full".
func (w LinkWidth) String() string { return [...]string{"unknown", "narrow", "full"}[w] }

// LinkKey names a link: one direction between two ports.
type LinkKey struct{ Src, Dst Point }

// Link is one direction of a link. A link that is down stays, as Up false, for 60 seconds.
type Link struct {
	LinkKey
	Up    bool
	said  bool      // Up as its source says, as long as switches of other sources are between (derivedLink)
	Width LinkWidth // as discovery has found out
	State LinkState
	Since time.Time // of the last change of Up
	// MeasuredUS is the latency as discovery has measured it, in microseconds; 0 if it has not.
	MeasuredUS uint64

	Source *FactSource // who says it; the view writes it

	// Derived from Settings, ports and what was measured, with each transaction; what a writer puts
	// here is overwritten.
	CapacityMbps   uint64 // 0 if not known
	CapacitySource Source
	LatencyUS      uint64 // 0 if not known
	LatencySource  Source
	Cost           uint64 // what a path pays for it, at least 1
	CostSource     Source
	Usable         bool // up, no tenant's alone, and direct or allowed not to be (Settings.Indirect): paths may use it
	Draining       bool // it, a port of it or a switch of it is drained: paths leave it, or have left
}

// Source says where a value is from.
type Source string

// The sources of values.
const (
	SourceConfigured Source = "configured" // Settings
	SourcePort       Source = "port"       // the switch's description of its ports
	SourceMeasured   Source = "measured"   // discovery
	SourceDefault    Source = "default"
)

// HostID names a host: its address, in its VLAN. VLAN is 0 for untagged.
type HostID struct {
	MAC  packet.MAC
	VLAN uint16
}

// String is the MAC, or MAC/vlan for a tagged host.
func (h HostID) String() string {
	if h.VLAN == 0 {
		return h.MAC.String()
	}
	return fmt.Sprintf("%s/%d", h.MAC, h.VLAN)
}

// HostState is how certain a host's place is.
type HostState string

// The states of a host.
const (
	HostConfirmed   HostState = "confirmed"
	HostUnconfirmed HostState = "unconfirmed" // its switch's control session is gone, or its port is down
)

// Host is an end station. IPs are in order of address, without duplicates.
type Host struct {
	HostID
	IPs   []netip.Addr
	At    Point
	Seen  time.Time
	State HostState

	Source *FactSource // who says it; the view writes it
}

// RuleState is the status of a desired rule at its switch.
type RuleState string

// The states of a rule.
const (
	RulePending   RuleState = "pending"   // not yet confirmed by the switch
	RuleInstalled RuleState = "installed" // confirmed by a barrier, or listed by the switch
	RuleFailed    RuleState = "failed"    // refused, or nothing is answered, or it is lost again and again; Reason says why
)

// RuleKey identifies a rule: a switch holds at most one entry for it.
type RuleKey struct {
	DPID     DPID
	Table    uint8
	Priority uint16
	Match    string // Match.Key()
}

// Rule is a firm rule desired on a switch: until it is withdrawn the switch is made to hold it. Its
// timeouts are zero.
type Rule struct {
	DPID         DPID
	Owner        string // who desires it, for people: "forward", "infrastructure"
	Table        uint8
	Priority     uint16
	Cookie       uint64
	Match        openflow.Match
	Instructions []openflow.Instruction

	// Revision is that of the transaction since which the rule is desired as it is. The view writes it.
	Revision Revision

	// Written by Status only.
	State    RuleState
	Reason   string // of RuleFailed
	Reporter string // the instance that reported the state; empty: nobody has, or one without a name
}

// Reasons of failed rules where what the switch holds in their place is unknown.
const (
	ReasonUnanswered = "the switch does not answer barriers"
	ReasonNotKept    = "the switch confirms it and does not keep it" // and how often
)

// Unknown reports whether the rule failed in a way that leaves open what the switch holds: unlike
// one that it refused.
func (r *Rule) Unknown() bool {
	return r.State == RuleFailed && (r.Reason == ReasonUnanswered || strings.HasPrefix(r.Reason, ReasonNotKept))
}

// Key returns the rule's key.
func (r *Rule) Key() RuleKey {
	return RuleKey{DPID: r.DPID, Table: r.Table, Priority: r.Priority, Match: r.Match.Key()}
}

// Meter is a meter desired on a switch, a drop band in packets a second.
type Meter struct {
	DPID  DPID
	ID    uint32
	Rate  uint32 // packets a second
	Burst uint32 // packets
}
