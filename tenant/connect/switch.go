package connect

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/shares"
	"github.com/weirnet/weir/tenant/vswitch"
)

// Config is what a Switch is made of.
type Config struct {
	vswitch.Config
	Name     string // that its description has
	Sessions *session.Dialer
	Now      func() time.Duration // since any instant; any goroutine calls it
	Physical Physical
	Account  *shares.Account // of the tenant, which its connections have turns of; nil: they have none
	Journal  Journal         // nil: the tables are kept nowhere
}

// Physical is the way to the physical switch. Its methods are called in the order in which the virtual switch changes, copy
// what they are given, and never block.
type Physical interface {
	// Order orders rules from flowsync. It may call Outcomes.
	Order([]ruleset.Order)
	// Send has the switch send a frame out of a port, with the next call of Flush at the latest. It must not call the
	// Switch.
	Send(port uint32, frame []byte)
	Flush()
	// Count has the physical switch be asked for counters, for all tenants together; Counted takes what comes of it.
	Count(vswitch.CounterKind)
	// PortCounters sets the counters of a port to what the physical switch has counted there, as it said last, if the port is the
	// tenant's alone; else, and what is not known, to all ones.
	PortCounters(*openflow.PortStats)
}

// spareMax is how many orders memory is kept for.
const spareMax = 1024

// Switch is a virtual switch with its controllers.
type Switch struct {
	cfg   Config
	roles session.Roles

	mu     sync.Mutex // guards what follows
	core   *vswitch.Switch
	conns  []*conn
	last   uint64 // number of a connection
	orders []ruleset.Order
	spare  []ruleset.Order // memory for the next orders
	gone   bool            // Withdraw has been called
	sent   bool            // frames, which Flush sends
	giving bool            // somebody gives orders, and will give those that come meanwhile

	missShown bool // what core was told last

	limits    tenant.Limits
	packetIns *rate.Limiter
	losses    Losses

	counting [vswitch.CounterKinds]counting
	woken    bool // wake has set a timer
	saving   saving

	inbox  inbox
	unseen atomic.Uint64 // packet-ins that had no room in the inbox
}

// New returns a switch without ports and connections.
func New(cfg Config) *Switch {
	cfg.Recorded = cfg.Journal != nil
	return &Switch{cfg: cfg, core: vswitch.New(cfg.Config)}
}

// Connect makes the switch the one end of a connection to a controller, which it owns from then on.
func (s *Switch) Connect(stream net.Conn) (*Connection, error) {
	c := newConn(s)
	of, err := s.cfg.Sessions.ServeConn(stream, &s.roles, c)
	if err != nil {
		return nil, err
	}
	return &Connection{of, c}, nil
}

// with calls f with the lock held, and then gives what it ordered to flowsync. Orders are given in their order, and without
// the lock, as flowsync may answer at once.
func (s *Switch) with(f func(core *vswitch.Switch, now time.Duration)) {
	s.locked(f)
	s.give()
}

// locked calls f with the lock held. What it orders is given by give.
func (s *Switch) locked(f func(core *vswitch.Switch, now time.Duration)) {
	s.mu.Lock()
	defer s.unlock()
	s.deliver()
	f(s.core, s.cfg.Now())
}

// give gives flowsync what has been ordered. Who gives already gives it all.
func (s *Switch) give() {
	s.mu.Lock()
	defer s.unlock()
	if s.giving {
		return
	}
	for s.deliver(); len(s.orders) > 0; s.deliver() {
		list := s.orders
		s.orders, s.spare, s.giving = s.spare[:0], nil, true
		s.mu.Unlock()
		s.cfg.Physical.Order(list)
		clear(list)
		s.mu.Lock()
		if s.giving = false; cap(list) <= spareMax {
			s.spare = list
		}
	}
}

// Counts returns how many entries, groups and meters there are, and how many rules have no outcome yet.
func (s *Switch) Counts() (entries, groups, meters, waiting int) {
	s.mu.Lock()
	defer s.unlock()
	groups, meters = s.core.Tables().Objects()
	return s.core.Tables().Entries(), groups, meters, vswitch.Waiting(s.core)
}

// SetSpace has the switch keep to another space.
func (s *Switch) SetSpace(space *tenant.Space, frames *vswitch.Frames) {
	s.with(func(core *vswitch.Switch, now time.Duration) { core.SetSpace(space, frames, now, (*output)(s)) })
}

// Withdraw takes all of the tenant's from the physical switch. What controllers send afterwards does nothing; only Outcomes is
// called then.
func (s *Switch) Withdraw() {
	s.with(func(core *vswitch.Switch, now time.Duration) {
		s.gone = true
		core.Withdraw(now, (*output)(s))
	})
}

// setMiss has what no entry matches shown while a controller of OpenFlow 1.0 is there. The lock is held.
func (s *Switch) setMiss(core *vswitch.Switch, now time.Duration) {
	shown := false
	for _, c := range s.conns {
		shown = shown || c.Version() == openflow.V10
	}
	if shown != s.missShown && !s.gone {
		s.missShown = shown
		core.SetMiss(shown, now, (*output)(s))
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

// Outcomes takes what became of orders of this switch. It does not wait.
func (s *Switch) Outcomes(list []ruleset.Outcome) {
	s.inbox.postOutcomes(list)
	s.collect()
}

// collect has what came be handled, by whoever holds the lock if somebody does.
func (s *Switch) collect() {
	if s.mu.TryLock() && s.unlock() {
		s.give()
	}
}

// PacketIn shows a packet-in of the physical switch, whose cookie is that of a row of the tenant, to the controllers. It does
// not wait.
func (s *Switch) PacketIn(pin *openflow.PacketIn) { s.packetIn(pin, ofRow) }

// PacketIn10 is PacketIn of a physical switch of OpenFlow 1.0, of a frame that is the tenant's.
func (s *Switch) PacketIn10(pin *openflow.PacketIn) { s.packetIn(pin, ofFrame) }

// Receive has the tables handle the frame of a packet-in, which no rule of the tenant's has handled. It does not wait.
func (s *Switch) Receive(pin *openflow.PacketIn) { s.packetIn(pin, received) }

// Copy has a switch show the frame of a packet-in that is not the tenant's, and nothing else of it. It does not wait.
func Copy(s *Switch, pin *openflow.PacketIn) { s.packetIn(pin, copied) }

func (s *Switch) packetIn(pin *openflow.PacketIn, as shownAs) {
	if !s.mu.TryLock() {
		if !s.inbox.post(pin, as) {
			s.unseen.Add(1)
			return
		}
		s.collect()
		return
	}
	s.deliver()
	s.show(pin, as)
	if s.unlock() {
		s.give()
	}
}

// show shows a packet-in to the controllers. The lock is held.
func (s *Switch) show(pin *openflow.PacketIn, as shownAs) {
	var p flowtable.PacketIn
	switch {
	case reacts(s, pin, as):
		s.sent = true
		vswitch.Reactive{Switch: s.core}.Receive(pin.InPort, pin.Data, s.cfg.Now(), &limited{(*output)(s)})
		return
	case as == received:
		s.core.Tables().Receive(pin.InPort, pin.Data, s.cfg.Now(), (*output)(s))
		return
	case as == copied:
		p = flowtable.PacketIn{Reason: openflow.ReasonAction, MaxLen: openflow.ControllerNoCut, Cookie: ^uint64(0),
			InPort: pin.InPort, Buffer: openflow.NoBuffer, Frame: pin.Data}
	case as == ofFrame:
		p = s.core.PacketIn10(pin, s.cfg.Now(), (*output)(s))
	default:
		_, row := plan.TenantRow(plan.Decode(pin.Cookie).Owner)
		var ok bool
		if p, ok = s.core.PacketIn(row, pin); !ok {
			return
		}
	}
	if s.shows() {
		(*output)(s).PacketIn(&p)
	}
}

// reacts reports whether a packet-in is of a frame that the tables handle. The lock is held.
func reacts(s *Switch, pin *openflow.PacketIn, as shownAs) bool {
	core := vswitch.Reactive{Switch: s.core}
	switch as {
	case ofFrame:
		return core.Is()
	case ofRow:
		_, row := plan.TenantRow(plan.Decode(pin.Cookie).Owner)
		return core.Takes(row)
	}
	return false
}

// limited is an output that shows no more packet-ins than the tenant may have.
type limited struct{ *output }

func (o *limited) PacketIn(p *flowtable.PacketIn) {
	if (*Switch)(o.output).shows() {
		o.output.PacketIn(p)
	}
}

// Micro is how a switch is served by micro-flows.
type Micro struct {
	Reactive bool   // it is, now
	Flows    int    // that there are
	Handled  uint64 // packets that the virtual tables have handled, instead of the physical switch
}

// MicroOf returns it.
func MicroOf(s *Switch) Micro {
	s.mu.Lock()
	defer s.unlock()
	core := vswitch.Reactive{Switch: s.core}
	return Micro{core.Is(), core.MicroFlows(), core.Handled()}
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

// from returns the connection of who sent a message; nil if it has ended.
func (o *output) from(who vswitch.Origin) *conn {
	for _, c := range o.conns {
		if c.number == who.Conn {
			return c
		}
	}
	return nil
}

// Refused tells the connection that ordered an entry, if it is still there.
func (o *output) Refused(who vswitch.Origin, why *flowtable.Error) {
	if c := o.from(who); c != nil {
		c.refused(who.XID, why)
	}
}

// Confirmed answers a barrier, when the journal says that the tables are being changed.
func (o *output) Confirmed(who vswitch.Origin) {
	if o.saving.holds((*Switch)(o), who) {
		return
	}
	if c := o.from(who); c != nil {
		c.confirmed(who.XID)
	}
}
