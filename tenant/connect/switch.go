package connect

import (
	"net"
	"sync"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/tenant/vswitch"
)

// Config is what a Switch is made of.
type Config struct {
	vswitch.Config
	Name     string // that its description has
	Sessions *session.Dialer
	Now      func() time.Duration // since any instant; any goroutine calls it
	Physical Physical
}

// Physical is the way to the physical switch. Its methods copy what they are given, append to a queue, and never block:
// they are called in the order in which the virtual switch changes.
type Physical interface {
	// Order orders rules from flowsync.
	Order([]ruleset.Order)
	// Send has the switch send a frame out of a port.
	Send(port uint32, frame []byte)
}

// Switch is a virtual switch with its controllers.
type Switch struct {
	cfg   Config
	roles session.Roles

	mu     sync.Mutex // guards what follows
	core   *vswitch.Switch
	conns  map[uint64]*conn
	last   uint64 // number of a connection
	orders []ruleset.Order
}

// New returns a switch without ports and connections.
func New(cfg Config) *Switch {
	return &Switch{cfg: cfg, core: vswitch.New(cfg.Config), conns: make(map[uint64]*conn)}
}

// Connect makes the switch the one end of a connection to a controller, which it owns from then on.
func (s *Switch) Connect(stream net.Conn) error {
	c := newConn(s)
	_, err := s.cfg.Sessions.ServeConn(stream, &s.roles, c)
	return err
}

// with calls f with the lock held, and gives what it ordered to flowsync.
func (s *Switch) with(f func(core *vswitch.Switch, now time.Duration)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.core, s.cfg.Now())
	if len(s.orders) > 0 {
		s.cfg.Physical.Order(s.orders)
		clear(s.orders)
		s.orders = s.orders[:0]
	}
}

// SetPort adds a port, or changes one.
func (s *Switch) SetPort(p openflow.Port) {
	s.with(func(core *vswitch.Switch, now time.Duration) { core.SetPort(p, now, (*output)(s)) })
}

// RemovePort removes a port.
func (s *Switch) RemovePort(number uint32) {
	s.with(func(core *vswitch.Switch, now time.Duration) { core.RemovePort(number, now, (*output)(s)) })
}

// Outcomes takes what became of orders of this switch.
func (s *Switch) Outcomes(list []ruleset.Outcome) {
	s.with(func(core *vswitch.Switch, now time.Duration) {
		for i := range list {
			core.Outcome(&list[i], now, (*output)(s))
		}
	})
}

// PacketIn shows a packet-in of the physical switch, whose cookie is that of a row of the tenant, to the controllers.
func (s *Switch) PacketIn(pin *openflow.PacketIn) {
	_, row := plan.TenantRow(plan.Decode(pin.Cookie).Owner)
	s.with(func(core *vswitch.Switch, _ time.Duration) {
		p, ok := core.PacketIn(row, pin)
		if ok {
			(*output)(s).PacketIn(&p)
		}
	})
}

// output is a Switch as the output of its core. The lock is held.
type output Switch

var _ vswitch.Output = (*output)(nil)

func (o *output) Order(x ruleset.Order) { o.orders = append(o.orders, x) }

func (o *output) Transmit(port, _ uint32, frame []byte) { o.cfg.Physical.Send(port, frame) }

func (o *output) PacketIn(p *flowtable.PacketIn) {
	for _, c := range o.conns {
		c.PacketIn(p)
	}
}

func (o *output) FlowRemoved(m *openflow.FlowRemoved) {
	for _, c := range o.conns {
		c.FlowRemoved(m)
	}
}

func (o *output) PortStatus(reason openflow.PortReason, p openflow.Port) {
	for _, c := range o.conns {
		c.PortStatus(reason, p)
	}
}

// Refused tells the connection that ordered an entry, if it is still there.
func (o *output) Refused(who vswitch.Origin, why *flowtable.Error) {
	if c := o.conns[who.Conn]; c != nil {
		c.refused(who.XID, why)
	}
}

// Confirmed answers a barrier.
func (o *output) Confirmed(who vswitch.Origin) {
	if c := o.conns[who.Conn]; c != nil {
		c.confirmed(who.XID)
	}
}
