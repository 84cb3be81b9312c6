package session

import (
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

// state is the phase of a connection that has not ended.
type state uint8

const (
	stateHello     state = iota // no version yet
	stateHandshake              // controller: the handshake goes on
	stateReady
)

// Core is the protocol of one connection: what to answer, what to deliver, when to act. It has no
// goroutine, no clock and does no I/O; its owner steps it. Only transaction ids and the role may be
// had without the owner's lock.
//
// It reads messages, and its parts do what follows from them: each has its own state and deadline, puts what is
// to be done into the outbox, and knows of no other but that it is built on.
type Core struct {
	end   End
	cfg   *Config
	state state
	limit time.Time // of the handshake

	out       outbox
	requests  requests
	handshake handshake // of a controller
	backlog   backlog
	echo      echo
	duplicate duplicateCheck
	role      heldRole
	ofSwitch  switchEnd // of a switch
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
	c := &Core{end: end, cfg: cfg}
	c.requests.cfg, c.requests.out = cfg, &c.out
	c.handshake = handshake{cfg: cfg, out: &c.out, requests: &c.requests}
	c.ofSwitch = switchEnd{config: openflow.GetConfigReply{MissSendLen: defaultMissSendLen}, roles: roles}
	c.role.set(openflow.RoleEqual)
	return c
}

// defaultMissSendLen is OFP_DEFAULT_MISS_SEND_LEN.
const defaultMissSendLen = 128

// Start opens a connection that was accepted at since: it sends HELLO and sets the deadline of the
// handshake.
func (c *Core) Start(since time.Time) Ready {
	c.out.begin()
	c.limit = since.Add(c.cfg.HandshakeTimeout)
	c.out.hello(c.cfg.Versions)
	return c.ready()
}

// Step takes one input.
func (c *Core) Step(in Input, now time.Time) Ready {
	c.out.begin()
	switch {
	case c.out.closed():
	case in.Frame != nil:
		c.receive(in.Frame, now)
	case in.Admission != nil:
		c.handshake.admit(in.Admission, now)
	case in.CheckAlive:
		if c.state == stateReady || c.handshake.identified() {
			c.duplicate.start(&c.out, now)
		}
	default:
		c.tick(in, now)
	}
	return c.ready()
}

// End closes the connection for a reason: all open requests are answered with it.
func (c *Core) End(reason error) Ready {
	c.out.begin()
	c.out.close(reason)
	c.requests.fail(closed(c.out.reason))
	c.ofSwitch.leave(&c.role)
	return c.ready()
}

func (c *Core) ready() Ready {
	return Ready{Send: c.out.send, Events: c.out.events, Deadline: c.nextDeadline(), Close: c.out.reason}
}

// tick acts on deadlines that have passed.
func (c *Core) tick(in Input, now time.Time) {
	c.duplicate.tick(&c.out, in.Read, now)
	switch {
	case c.out.closed():
	case c.state == stateReady:
		c.requests.expire(now)
		c.echo.tick(&c.out, c.cfg, in, now)
	case !now.Before(c.limit):
		c.out.close(ErrHandshake)
	case c.state == stateHandshake:
		if c.handshake.tick(now); c.handshake.stage == stageDone {
			c.connect(now)
		}
	}
}

// nextDeadline is the earliest time at which tick has something to do.
func (c *Core) nextDeadline() time.Time {
	switch {
	case c.out.closed():
		return time.Time{}
	case c.state == stateReady:
		return earlier(c.duplicate.due, earlier(c.requests.deadline, c.echo.next))
	}
	return earlier(c.duplicate.due, earlier(c.handshake.roleBy, c.limit))
}

// earlier is the earlier of two times; the zero time is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// NextXID returns a transaction id that was not used lately. It may be called from any goroutine.
func (c *Core) NextXID() uint32 { return c.out.nextXID() }

// Expect enters a request that is about to be sent: its answer comes as an EventAnswer. The message
// must have an answer (else ErrNoReply) and not be one too many (else ErrFull).
func (c *Core) Expect(xid uint32, t openflow.Type, now time.Time, answer func(openflow.Message, error)) error {
	if c.out.closed() {
		return closed(c.out.reason)
	}
	return c.requests.enter(xid, t, now, answer)
}

// Forget drops a request: it will not be answered.
func (c *Core) Forget(xid uint32) { c.requests.forget(xid) }

// Role is the role at this connection, as the switch has confirmed it (or, at the switch's end,
// given it).
func (c *Core) Role() openflow.Role { return c.role.get() }

// holds are the bytes of incomplete input, as Config.MaxHeld counts them. The reader calls it, without the lock.
func (c *Core) holds() int64 { return c.backlog.holds.Load() + c.requests.holds.Load() }

// deliver hands a message to the handler, or keeps it until after Connected.
func (c *Core) deliver(h openflow.Header, m openflow.Message) {
	e := Event{Kind: EventMessage, Header: h, Message: m}
	if c.state == stateReady {
		c.out.deliver(e)
	} else if !c.backlog.add(e) {
		c.out.counts.early++
	}
}

// connect ends the handshake.
func (c *Core) connect(now time.Time) {
	c.state = stateReady
	c.echo.start(c.cfg.EchoInterval, now)
	c.out.deliver(Event{Kind: EventConnected})
	for _, e := range c.backlog.take() {
		c.out.deliver(e)
	}
	c.requests.holds.Store(0) // what was asked in the handshake is with the handler
}
