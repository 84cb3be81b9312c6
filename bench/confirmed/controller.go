package confirmed

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Controller is a tenant's. Any goroutine may use it.
type Controller struct {
	listener net.Listener
	server   *session.Server
	serving  sync.WaitGroup

	mu       sync.Mutex
	switches []*tenantSwitch // in the order in which they came first
	next     int             // of entries, by which switches take turns
	cookie   uint64          // of the newest entry
	answered time.Time       // when a barrier was answered last
	err      error           // the first that a switch has answered
}

// tenantSwitch is one of the tenant's. Controller.mu guards it.
type tenantSwitch struct {
	dpid      uint64
	session   *session.Session // nil: it is not connected
	since     time.Time        // of the session
	confirmed map[uint64]bool  // cookies of entries
}

// Address is where the controller listens.
func (c *Controller) Address() string { return c.listener.Addr().String() }

// of is a tenant's switch; c.mu is held.
func (c *Controller) of(s *session.Session) *tenantSwitch {
	dpid := s.Features().Datapath
	for _, sw := range c.switches {
		if sw.dpid == dpid {
			return sw
		}
	}
	sw := &tenantSwitch{dpid: dpid, confirmed: map[uint64]bool{}}
	c.switches = append(c.switches, sw)
	return sw
}

// Connected implements session.Handler.
func (c *Controller) Connected(s *session.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sw := c.of(s)
	sw.session, sw.since = s, time.Now()
}

// Disconnected implements session.Handler.
func (c *Controller) Disconnected(s *session.Session, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if sw := c.of(s); sw.session == s {
		sw.session = nil
	}
}

// Message notes errors: nothing that is sent here is to be refused.
func (c *Controller) Message(s *session.Session, _ openflow.Header, m openflow.Message) {
	e, ok := m.(*openflow.ErrorMsg)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = fmt.Errorf("the tenant's switch %016x refuses an entry: %s", s.Features().Datapath, e.Code)
	}
}

// PacketIn implements session.Handler.
func (c *Controller) PacketIn(*session.Session, openflow.Header, *openflow.PacketIn) {}

// BatchEnd implements session.Handler.
func (c *Controller) BatchEnd(*session.Session) {}

// entry is the flow-mod of an entry.
func entry(cookie uint64) *openflow.FlowMod {
	m := &openflow.FlowMod{Command: openflow.FlowAdd, Cookie: cookie, Priority: 1, Buffer: openflow.NoBuffer}
	m.Match.SetUint(openflow.FieldEthType, 0x0800)
	m.Match.SetUint(openflow.FieldIPv4Dst, cookie&0xffffffff)
	return m
}

// burst is how many entries one switch is sent after the other: so some switches are being changed at any time, and most
// have been left alone for longer than it takes an instance to have all that they were told in its store.
const burst = 20

// Add sends the next entry, and a barrier, to a switch that is connected, burst of them to one and then to the next. It
// reports whether there is one.
func (c *Controller) Add() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range c.switches {
		sw := c.switches[c.next/burst%len(c.switches)]
		if sw.session == nil {
			c.next += burst
			continue
		}
		c.next++
		c.cookie++
		cookie := c.cookie
		if _, err := sw.session.Send(entry(cookie)); err != nil {
			return false // it has ended
		}
		return sw.session.Barrier(func(err error) {
			if err != nil {
				return
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			sw.confirmed[cookie] = true
			c.answered = time.Now()
		}) == nil
	}
	return false
}

// Sessions returns how many switches are connected by sessions that began after a time, and when the last of these began.
func (c *Controller) Sessions(after time.Time) (n int, last time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, sw := range c.switches {
		if sw.session != nil && sw.since.After(after) {
			if n++; sw.since.After(last) {
				last = sw.since
			}
		}
	}
	return n, last
}

// Answered is when a barrier was answered last.
func (c *Controller) Answered() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answered
}

// Err is the first error that a switch has answered; nil: none has.
func (c *Controller) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// errAway says that a switch is not connected.
var errAway = errors.New("a switch of the tenant is not connected to its controller")
