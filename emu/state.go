package emu

import (
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/openflow"
)

// PortState is how a port of a switch is.
type PortState struct {
	Number  uint32
	Name    string
	HWAddr  [6]byte
	Up      bool // not broken by SetPort
	Stopped bool // by a controller, with a port-mod
	Carrier bool // its link carries frames
	Link    *Link
}

// Port tells how a port is; ok is false if there is no such port.
func (sw *Switch) Port(number uint32) (state PortState, ok bool) {
	p := sw.ports.find(number)
	if p == nil {
		return PortState{}, false
	}
	d := p.describe(p.link.Spec(Forward))
	return PortState{Number: number, Name: d.Name, HWAddr: d.HWAddr, Up: !p.broken.Load(),
		Stopped: p.stopped.Load(), Carrier: p.link.Up(), Link: p.link}, true
}

// ControlState is how it is between a switch and one controller.
type ControlState struct {
	Controller string // as in Config.Controllers
	Connected  bool
	Version    openflow.Version // while it is connected
	CutOff     bool             // by CutOff
	Stalled    bool             // by Stall
	Slow       time.Duration    // by Slow; 0: not slow
	Trouble    string           // why it is not connected, when that is known
}

// Controls are the states of all controllers, in the order of Config.Controllers.
func (sw *Switch) Controls() []ControlState {
	list := make([]ControlState, len(sw.control.channels))
	for i, ch := range sw.control.channels {
		ch.mu.Lock()
		list[i] = ControlState{Controller: ch.address, CutOff: ch.off, Stalled: ch.faults.stalled, Slow: ch.faults.slow}
		if ch.trouble != nil {
			list[i].Trouble = why(ch.trouble)
		}
		ch.mu.Unlock()
	}
	sw.mu.Lock()
	defer sw.mu.Unlock()
	for _, c := range sw.control.conns {
		for i, ch := range sw.control.channels {
			if c.channel == ch {
				list[i].Connected, list[i].Version = true, c.Version()
			}
		}
	}
	return list
}

// Profile is how the switch behaves; it must not be changed.
func (sw *Switch) Profile() *profile.Profile {
	if sw.profile == nil {
		return &ideal
	}
	return sw.profile
}

// ideal is the profile of switches that have none.
var ideal = profile.Profile{Name: "ideal"}
