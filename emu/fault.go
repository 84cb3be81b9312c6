package emu

import (
	"fmt"
	"time"
)

// AllControllers stands for every controller of a switch, where one is named by its number in
// Config.Controllers.
const AllControllers = -1

// channelsOf are the channels that a number stands for.
func (sw *Switch) channelsOf(controller int) ([]*channel, error) {
	switch {
	case controller == AllControllers:
		return sw.channels, nil
	case controller < 0 || controller >= len(sw.channels):
		return nil, fmt.Errorf("switch %s has no controller number %d, want from 0 to %d, or %d for all",
			sw.name, controller, len(sw.channels)-1, AllControllers)
	}
	return sw.channels[controller : controller+1], nil
}

// Disconnect closes the connection to a controller abruptly; the switch connects again, and keeps
// its tables.
func (sw *Switch) Disconnect(controller int) error {
	list, err := sw.channelsOf(controller)
	for _, ch := range list {
		ch.cut()
	}
	return err
}

// CutOff closes the connection to a controller and prevents another (on), until it is called with
// off.
func (sw *Switch) CutOff(controller int, on bool) error {
	list, err := sw.channelsOf(controller)
	for _, ch := range list {
		ch.mu.Lock()
		ch.off = on
		ch.mu.Unlock()
		if on {
			ch.cut()
		} else {
			ch.dial()
		}
	}
	return err
}

// Stall stops reading from a controller (on) until it is called with off. Asynchronous messages are
// still sent, but no request is answered, echo requests included.
func (sw *Switch) Stall(controller int, on bool) error {
	return sw.setFaults(controller, func(f *faults) { f.stalled = on })
}

// Slow has what a controller sends wait for a time before the switch sees it; 0 ends it. The
// messages that come meanwhile wait for their turn, and then as long: a delay from once to twice
// the time. With more than some seconds a switch does not get through a handshake, which has 10 s
// for two messages (session.Config): it stays connected, but does not connect again.
func (sw *Switch) Slow(controller int, delay time.Duration) error {
	if delay < 0 || delay > maxSlow {
		return fmt.Errorf("a delay of %v given, want one from 0s to %v, such as 300ms", delay, maxSlow)
	}
	return sw.setFaults(controller, func(f *faults) { f.slow = delay })
}

// maxSlow is the longest delay of control messages.
const maxSlow = time.Minute

// setFaults changes what is wrong with the connections to controllers, the present ones and those
// to come.
func (sw *Switch) setFaults(controller int, set func(*faults)) error {
	list, err := sw.channelsOf(controller)
	for _, ch := range list {
		ch.mu.Lock()
		set(&ch.faults)
		f, w := ch.faults, ch.wire
		ch.mu.Unlock()
		if w != nil {
			w.setFaults(f)
		}
	}
	return err
}
