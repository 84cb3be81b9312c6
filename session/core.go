package session

import (
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/openflow"
)

// End is the end of a connection that a Core is.
type End uint8

// The ends of a connection.
const (
	ControllerEnd End = iota
	SwitchEnd
)

// state is the phase of a connection.
type state uint8

const (
	stateHello    state = iota // no version yet
	stateFeatures              // controller: the features reply is awaited
	stateAdmit                 // controller: the datapath id is known, the owner's Admission is awaited
	stateDescribe              // controller: ports, description and role are awaited
	stateReady
	stateClosed
)

// Core is the protocol of one connection: what to answer, what to deliver, when to act. It has no
// goroutine, no clock and does no I/O; its owner steps it. Only xid and role may be read without
// the owner's lock.
type Core struct {
	end   End
	cfg   *Config
	roles *Roles // of the switch; nil at the controller's end
	// barriers: the owner answers barriers, as a BarrierHandler.
	barriers bool

	state     state
	version   openflow.Version // agreed on; from stateFeatures on
	limit     time.Time        // of the handshake
	features  Features
	config    openflow.GetConfigReply // of the switch, at its own end
	waiting   int                     // answers that the handshake still needs
	echo      echo
	duplicate duplicateCheck
	requests  requests
	counts    coreCounts

	asked uint32        // transaction id of the features request
	xid   atomic.Uint32 // last transaction id used
	role  atomic.Uint32 // openflow.Role, as the switch has confirmed it

	held      []Event      // what arrived before the handler's Connected
	roomCheck func() error // asks, when the handshake is done, whether there is room for the switch; nil: there is
	holds     atomic.Int64 // bytes of incomplete input, as Config.MaxHeld counts them
	out       []byte
	events    []Event
	reason    error
}

// Input is one event: a whole message, the owner's Admission, a duplicate check, or, if all three
// are absent, the passing of time.
type Input struct {
	// Frame is one whole message; of a message whose length field is below eight, or that does not
	// make sense, the eight bytes of its header.
	Frame []byte
	// Read is how many bytes were read on this connection so far: a peer that sends anything is
	// alive.
	Read uint64
	// Written is how many bytes the peer took so far, and Waiting whether more are queued for it: a
	// peer that takes nothing is stuck.
	Written uint64
	Waiting bool
	// Admission answers an EventIdentified.
	Admission *Admission
	// CheckAlive starts a duplicate check: within DuplicateTimeout comes EventAlive, or the
	// connection ends with ErrReplaced.
	CheckAlive bool
}

// Admission reports whether a switch may connect under its datapath id: Err is why not, or nil.
type Admission struct{ Err error }

// Ready is what a step wants done, in this order: Send is queued, then the events are delivered,
// then the connection ends if Close is not nil, which is why. The next step is due at Deadline at
// the latest (zero: no deadline). All of it is valid until the next step.
type Ready struct {
	Send     []byte
	Events   []Event
	Deadline time.Time
	Close    error
}

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events.
const (
	EventConnected  EventKind = iota // the handshake is done
	EventFeatures                    // the switch is asked for its features: answer with Header's transaction id
	EventMessage                     // Message is for the handler
	EventAnswer                      // a request is answered
	EventIdentified                  // the datapath id is known: answer with an Admission
	EventAlive                       // the duplicate check found the peer alive
)

// Event is something to deliver.
type Event struct {
	Kind    EventKind
	Header  openflow.Header
	Message openflow.Message
	answer  func(m openflow.Message, err error)
	err     error
}

// NewCore makes the core of a new connection. Roles are those of the switch, shared by all its
// connections; nil at the controller's end.
func NewCore(end End, cfg *Config, roles *Roles) *Core {
	c := &Core{end: end, cfg: cfg, roles: roles}
	c.config = openflow.GetConfigReply{MissSendLen: defaultMissSendLen}
	c.role.Store(uint32(openflow.RoleEqual))
	return c
}

// defaultMissSendLen is OFP_DEFAULT_MISS_SEND_LEN.
const defaultMissSendLen = 128

// Start opens a connection that was accepted at since: it sends HELLO and sets the deadline of the
// handshake.
func (c *Core) Start(since time.Time) Ready {
	c.begin()
	c.limit = since.Add(c.cfg.HandshakeTimeout)
	c.sendHello()
	return c.ready()
}

// Step takes one input.
func (c *Core) Step(in Input, now time.Time) Ready {
	c.begin()
	switch {
	case c.state == stateClosed:
	case in.Frame != nil:
		c.receive(in.Frame, now)
	case in.Admission != nil:
		c.admit(in.Admission, now)
	case in.CheckAlive:
		c.startDuplicateCheck(now)
	default:
		c.tick(in, now)
	}
	return c.ready()
}

// End closes the connection for a reason: all open requests are answered with it.
func (c *Core) End(reason error) Ready {
	c.begin()
	c.close(reason)
	c.requests.fail(c, closed(c.reason))
	if c.roles != nil {
		c.roles.leave(c)
	}
	return c.ready()
}

func (c *Core) begin() {
	if cap(c.out) > minReadBuffer {
		c.out = nil
	}
	clear(c.events)
	c.out, c.events = c.out[:0], c.events[:0]
}

func (c *Core) ready() Ready {
	return Ready{Send: c.out, Events: c.events, Deadline: c.nextDeadline(), Close: c.reason}
}

// close ends the connection; the first reason counts.
func (c *Core) close(reason error) {
	if c.reason == nil {
		c.reason = reason
	}
	c.state = stateClosed
}

// tick acts on deadlines that have passed.
func (c *Core) tick(in Input, now time.Time) {
	c.tickDuplicateCheck(in.Read, now)
	if c.state == stateClosed {
		return
	}
	if c.state != stateReady {
		if !now.Before(c.limit) {
			c.close(ErrHandshake)
		}
		return
	}
	c.requests.expire(c, now)
	c.tickEcho(in, now)
}

// nextDeadline is the earliest time at which tick has something to do.
func (c *Core) nextDeadline() time.Time {
	switch c.state {
	case stateClosed:
		return time.Time{}
	case stateReady:
		return earlier(c.duplicate.due, earlier(c.requests.deadline, c.echo.next))
	}
	return earlier(c.duplicate.due, c.limit)
}

// earlier is the earlier of two times; the zero time is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// NextXID returns a transaction id that was not used lately. It may be called from any goroutine.
func (c *Core) NextXID() uint32 { return c.xid.Add(1) }

// send queues a message of our own. The version has been checked by the caller: it cannot fail.
func (c *Core) send(xid uint32, m openflow.Message) {
	out, err := openflow.Append(c.out, c.version, xid, m)
	if err != nil {
		panic("session: own message: " + err.Error())
	}
	c.out = out
}

// deliver hands a message to the handler, or keeps it until after Connected.
func (c *Core) deliver(h openflow.Header, m openflow.Message) {
	e := Event{Kind: EventMessage, Header: h, Message: m}
	switch {
	case c.state == stateReady:
		c.events = append(c.events, e)
	case len(c.held) < MaxHeldMessages:
		c.held = append(c.held, e)
		c.holds.Add(heldFactor * int64(h.Length))
	default:
		c.counts.early++
	}
}

// connect ends the handshake.
func (c *Core) connect(now time.Time) {
	c.state = stateReady
	c.startEcho(now)
	c.events = append(c.events, Event{Kind: EventConnected})
	c.events = append(c.events, c.held...)
	c.held = nil
	c.holds.Store(0)
}
