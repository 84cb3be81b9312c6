package emu

import (
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
)

// AllControllers stands for every controller of a switch, where one is named by its number in
// Config.Controllers.
const AllControllers = -1

// Control is the control side of a switch: a channel to each controller, in the order of Config.Controllers, and the
// connections that stand. Its exported methods may be called from any goroutine, and each names a controller by its
// number.
type Control struct {
	of       string     // name of the switch
	channels []*channel // to all controllers

	// conns are those that are connected, in the order in which they came. The switch's lock guards them, and is held
	// by whoever calls what follows.
	conns []*conn
}

// Control is the switch's side towards its controllers.
func (sw *Switch) Control() *Control { return &sw.control }

// add adds a connection, and reports whether it is the only one.
func (c *Control) add(one *conn) bool {
	c.conns = append(c.conns, one)
	return len(c.conns) == 1
}

// remove removes a connection, and reports whether it was there, and whether it was the only one.
func (c *Control) remove(one *conn) (was, last bool) {
	at := slices.Index(c.conns, one)
	if at < 0 {
		return false, false
	}
	c.conns = slices.Concat(c.conns[:at], c.conns[at+1:])
	return true, len(c.conns) == 0
}

// speaks reports whether some controller speaks a version.
func (c *Control) speaks(v openflow.Version) bool {
	return slices.ContainsFunc(c.conns, func(c *conn) bool { return c.Version() == v })
}

// packetIn sends a packet to all controllers that get such ones, and says how many have taken it, or had no room.
func (c *Control) packetIn(p *flowtable.PacketIn) (sent, refused int) {
	for _, c := range c.conns {
		switch wanted, taken := c.PacketIn(p); {
		case !wanted:
		case taken:
			sent++
		default:
			refused++
		}
	}
	return sent, refused
}

// flowRemoved tells that an entry went.
func (c *Control) flowRemoved(m *openflow.FlowRemoved) {
	for _, c := range c.conns {
		c.FlowRemoved(m)
	}
}

// portStatus tells that a port changed.
func (c *Control) portStatus(reason openflow.PortReason, p openflow.Port) {
	for _, c := range c.conns {
		c.PortStatus(reason, p)
	}
}

// channelsOf are the channels that a number stands for.
func (c *Control) channelsOf(controller int) ([]*channel, error) {
	switch {
	case controller == AllControllers:
		return c.channels, nil
	case controller < 0 || controller >= len(c.channels):
		return nil, fmt.Errorf("switch %s has no controller number %d, want from 0 to %d, or %d for all",
			c.of, controller, len(c.channels)-1, AllControllers)
	}
	return c.channels[controller : controller+1], nil
}

// Disconnect closes the connection to a controller abruptly; the switch connects again, and keeps
// its tables.
func (c *Control) Disconnect(controller int) error {
	list, err := c.channelsOf(controller)
	for _, ch := range list {
		ch.cut()
	}
	return err
}

// CutOff closes the connection to a controller and prevents another (on), until it is called with
// off.
func (c *Control) CutOff(controller int, on bool) error {
	list, err := c.channelsOf(controller)
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
func (c *Control) Stall(controller int, on bool) error {
	return c.setFaults(controller, func(f *faults) { f.stalled = on })
}

// Slow has what a controller sends wait for a time before the switch sees it; 0 ends it. The
// messages that come meanwhile wait for their turn, and then as long: a delay from once to twice
// the time. With more than some seconds a switch does not get through a handshake, which has 10 s
// for two messages (session.Config): it stays connected, but does not connect again.
func (c *Control) Slow(controller int, delay time.Duration) error {
	if delay < 0 || delay > maxSlow {
		return fmt.Errorf("a delay of %v given, want one from 0s to %v, such as 300ms", delay, maxSlow)
	}
	return c.setFaults(controller, func(f *faults) { f.slow = delay })
}

// maxSlow is the longest delay of control messages.
const maxSlow = time.Minute

// setFaults changes what is wrong with the connections to controllers, the present ones and those
// to come.
func (c *Control) setFaults(controller int, set func(*faults)) error {
	list, err := c.channelsOf(controller)
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

// Capture shows the bytes of the connection to a controller, by its number in
// Config.Controllers, until stop is called: as they are read and written, so that messages may come
// in pieces; with TLS, before they are encrypted. A piece of no bytes means that a new connection
// begins.
func (c *Control) Capture(controller int, see CaptureFunc) (stop func(), err error) {
	if controller < 0 || controller >= len(c.channels) {
		return nil, fmt.Errorf("switch %s has no controller number %d, want from 0 to %d", c.of, controller,
			len(c.channels)-1)
	}
	return addTap(&c.channels[controller].taps, see), nil
}
