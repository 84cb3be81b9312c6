package topo

import "time"

// Event is something that happens to a running network by itself.
type Event struct {
	At    time.Duration // after the start of the schedule
	Every time.Duration // again after each of these; 0: once
	Times int           // how often in all, with Every; 0: without end
	Do    Action
	Line  int // in its file, for what is said of it
}

// Action is what happens: a LinkAction, PortAction, SwitchAction, ControlAction or TrafficAction.
type Action interface{ action() }

// Direction is which way over a link something is about.
type Direction uint8

// Ways over a link.
const (
	Both    Direction = iota
	Forward           // from A to B; from a host to its switch
	Back
)

// LinkAction cuts or mends a link, or changes how it carries frames.
type LinkAction struct {
	Link   string    // its id
	Up     *bool     // nil: stays as it is
	Way    Direction // of the change
	Change Change
}

// PortAction takes a port of a switch down, or up again.
type PortAction struct {
	At End
	Up bool
}

// SwitchAction gives faults to a switch or takes them away; what is nil stays as it is.
type SwitchAction struct {
	Switch  int // index; All: every one
	Down    *bool
	Stalled *bool
	Slow    *time.Duration // longer for each message; 0: not slow
	Lying   *bool
}

// All, as a switch's index, is every switch.
const All = -1

// ControlAction cuts, stalls or restores connections of switches to controllers; what is nil stays
// as it is.
type ControlAction struct {
	Switch     int    // index; All: every one
	Controller string // as it was given to the network; empty: all of them
	Up         *bool
	Stalled    *bool
}

// TrafficAction has a host send.
type TrafficAction struct {
	From, To int // hosts' indexes
	Traffic  Traffic
}

// Traffic is what a host is to send. Fields that a kind does not name are 0; fields that are 0 have
// the defaults of package host.
type Traffic struct {
	Kind     string // "ping", "udp" or "tcp"
	IPv6     bool
	Count    int           // ping: requests; udp: datagrams
	Interval time.Duration // ping: between requests
	Size     int           // ping, udp: bytes of payload
	Port     uint16        // udp, tcp: of the destination
	Rate     float64       // udp: datagrams a second; tcp: bits of payload a second, 0 as fast as it goes
	Pattern  string        // udp: "constant", "poisson" or "on-off"
	On, Off  time.Duration // udp: of on-off
	Bytes    uint64        // tcp: to send
	Duration time.Duration // udp, tcp: until it ends
}

func (LinkAction) action()    {}
func (PortAction) action()    {}
func (SwitchAction) action()  {}
func (ControlAction) action() {}
func (TrafficAction) action() {}
