package controller

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/session"
)

// Config says which switch is taken. The zero value takes the first that connects.
type Config struct {
	// Versions are those offered; none means 1.0 and 1.3.
	Versions []openflow.Version
	// Datapath is the id of the switch; 0 stands for the first that connects.
	Datapath uint64
	// Refused, if set, is told of connections that were not taken, and why. It must not block.
	Refused func(error)
}

// ErrOther refuses a switch that is not the one under test.
var ErrOther = errors.New("not the switch under test")

// Controller is the controller of one switch.
type Controller struct {
	ln     net.Listener
	door   door
	server *session.Server
	served chan struct{} // closed when no connection is accepted any more

	tap atomic.Pointer[tap] // takes packet-ins in place of the reactive controller

	mu       sync.Mutex
	session  *session.Session // nil while the switch is not connected
	conn     *conn            // of session
	up       chan struct{}    // closed when session is set
	lost     error            // why the last session ended
	refused  []error          // errors of the switch that answer nothing that waits
	reactive reactive

	places places
}

// tap sees packet-ins, with the time at which they came.
type tap func(p *openflow.PacketIn, at time.Time)

// Listen waits for the switch at a TCP address until Close.
func Listen(address string, cfg Config) (*Controller, error) {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening for the switch: %w", err)
	}
	c := &Controller{ln: ln, up: make(chan struct{}), served: make(chan struct{}),
		door:   door{refused: cfg.Refused, datapath: cfg.Datapath, conns: map[string]*conn{}},
		places: places{ports: map[packet.MAC]uint32{}, more: make(chan struct{})}}
	c.server = session.NewServer(session.Config{Versions: cfg.Versions, Admit: c.door.admit, Refused: c.door.refuse}, handler{c})
	c.start()
	return c, nil
}

// Address is where the switch has to connect: HOST:PORT.
func (c *Controller) Address() string { return c.ln.Addr().String() }

// Close ends the session, and waits until it has ended.
func (c *Controller) Close(ctx context.Context) error {
	c.ln.Close()
	<-c.served
	return c.server.Close(ctx)
}

// Ready waits until the switch is connected, and has confirmed all that it was told. The error says
// why it is not when ctx ends.
func (c *Controller) Ready(ctx context.Context) error {
	s, _, err := c.connected(ctx)
	if err != nil {
		return err
	}
	if _, err = s.RequestContext(ctx, &openflow.BarrierRequest{}); err != nil {
		return fmt.Errorf("the switch at %v has not answered a barrier: %w", s.Features().Remote, err)
	}
	return nil
}

// ReadyWithin is Ready that waits for so long.
func (c *Controller) ReadyWithin(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return c.Ready(ctx)
}

// absent says that the switch is not connected, and why nobody waits for it any more.
type absent struct {
	text string
	why  []error
}

func (e *absent) Error() string   { return e.text }
func (e *absent) Unwrap() []error { return e.why }

// connected waits for the switch's session.
func (c *Controller) connected(ctx context.Context) (*session.Session, *conn, error) {
	for {
		c.mu.Lock()
		s, inner, up, lost := c.session, c.conn, c.up, c.lost
		c.mu.Unlock()
		if s != nil {
			return s, inner, nil
		}
		select {
		case <-up:
		case <-ctx.Done():
			if lost != nil {
				return nil, nil, &absent{fmt.Sprintf("the switch whose session ended (%v) has not come back to %s", lost, c.Address()),
					[]error{ctx.Err(), lost}}
			}
			return nil, nil, &absent{"no switch has connected to " + c.Address(), []error{ctx.Err()}}
		}
	}
}

// Features are what the switch says of itself; ok is false while it is not connected.
func (c *Controller) Features() (f session.Features, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil {
		return f, false
	}
	return c.session.Features(), true
}

// Version is that of OpenFlow which the switch speaks; 0 while it is not connected.
func (c *Controller) Version() openflow.Version {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil {
		return 0
	}
	return c.session.Version()
}

// Errors are the errors that the switch has sent since the last call, other than answers.
func (c *Controller) Errors() []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.refused
	c.refused = nil
	return list
}

// maxErrors is how many errors of the switch are kept.
const maxErrors = 1 << 16

// handler is the session's view of a Controller.
type handler struct{ c *Controller }

// Connected has the switch be ours, and hands up what no entry takes if flows are to be set up.
func (h handler) Connected(s *session.Session) {
	c := h.c
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.conn = s, c.door.of(s.Features().Remote)
	close(c.up)
	if c.reactive.Out != nil {
		_, _ = s.Send(tableMiss())
	}
}

// PacketIn hands a packet to who wants it.
func (h handler) PacketIn(s *session.Session, _ openflow.Header, p *openflow.PacketIn) {
	if t := h.c.tap.Load(); t != nil {
		(*t)(p, h.c.arrival())
		return
	}
	h.c.answer(s, p)
}

// BatchEnd implements session.Handler.
func (h handler) BatchEnd(*session.Session) {}

// Message keeps the switch's errors.
func (h handler) Message(_ *session.Session, header openflow.Header, m openflow.Message) {
	e, ok := m.(*openflow.ErrorMsg)
	if !ok {
		return
	}
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if len(h.c.refused) < maxErrors {
		h.c.refused = append(h.c.refused, &session.PeerError{Header: header, Msg: e})
	}
}

// Disconnected forgets the session.
func (h handler) Disconnected(s *session.Session, err error) {
	c := h.c
	c.door.close(s.Features().Remote)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == s {
		c.session, c.conn, c.lost, c.up = nil, nil, err, make(chan struct{})
	}
}

// arrival is when the last bytes of the switch came.
func (c *Controller) arrival() time.Time {
	c.mu.Lock()
	inner := c.conn
	c.mu.Unlock()
	if inner == nil {
		return time.Now()
	}
	return inner.arrival()
}
