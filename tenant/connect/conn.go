package connect

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/weirnet/weir/agent"
	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/tenant/shares"
	"github.com/weirnet/weir/tenant/vswitch"
)

// conn is one connection to a controller: the session's SwitchHandler. What the session calls runs on its reader.
type conn struct {
	agent.Agent
	sw       *Switch
	number   uint64
	session  *session.Session             // nil before the handshake is over
	messages atomic.Pointer[rate.Limiter] // nil: it may send what it likes
	closing  chan struct{}                // closed by Connection.Close
	closed   sync.Once
	turn     *shares.Turn  // nil: it takes none
	now      time.Duration // of the batch that is being read, once it is wanted; 0 between batches. The reader's

	// The switch's lock guards what follows.
	ended    error // why it has ended
	barriers int   // that are not answered
}

var (
	_ session.SwitchHandler  = (*conn)(nil)
	_ session.BarrierHandler = (*conn)(nil)
	_ session.RefusedHandler = (*conn)(nil)
	_ session.TurnHandler    = (*conn)(nil)
)

// Connection is one connection to a controller, as who has made it sees it.
type Connection struct {
	session *session.Session
	conn    *conn
}

// Close ends the connection. What has been read of it, and not been done, is not done.
func (c *Connection) Close(why error) {
	c.conn.closed.Do(func() { close(c.conn.closing) })
	c.session.Close(why)
}

// Done is closed when the connection has ended.
func (c *Connection) Done() <-chan struct{} { return c.session.Done() }

// State returns the controller's version and role, and why the connection has ended; ok: the handshake is over.
func (c *Connection) State() (v openflow.Version, role openflow.Role, ok bool, ended error) {
	c.conn.sw.mu.Lock()
	defer c.conn.sw.unlock()
	if s := c.conn.session; s != nil {
		return s.Version(), s.Role(), true, c.conn.ended
	}
	return 0, 0, false, c.conn.ended
}

func newConn(s *Switch) *conn {
	c := &conn{sw: s, closing: make(chan struct{})}
	c.Agent = agent.New(c)
	if s.cfg.Account != nil {
		c.turn = s.cfg.Account.Turn()
	}
	return c
}

// BeginTurn begins a turn of the tenant's.
func (c *conn) BeginTurn() bool { return c.turn == nil || c.turn.Begin(c.closing) }

// TurnOver reports whether it is over.
func (c *conn) TurnOver() bool { return c.turn != nil && c.turn.Over() }

// NextTurn ends it, and begins another one.
func (c *conn) NextTurn() bool { return c.turn == nil || c.turn.Next(c.closing) }

// EndTurn ends it.
func (c *conn) EndTurn() {
	if c.turn != nil {
		c.turn.End()
	}
}

// Connected adds the connection to those of the switch, after the handshake.
func (c *conn) Connected(s *session.Session) {
	c.sw.with(func(core *vswitch.Switch, now time.Duration) {
		c.Attach(s)
		c.session = s
		c.messages.Store(limiter(c.sw.limits.Messages))
		c.sw.last++
		c.number = c.sw.last
		c.sw.conns = append(c.sw.conns, c)
		if c.sw.saving.filling == 0 {
			c.sw.saving.filling = now
		}
		c.SetRoom(c.sw.limits.WithDefaults().WaitingBytes)
		c.sw.setMiss(core, now)
	})
}

// Disconnected removes it.
func (c *conn) Disconnected(_ *session.Session, err error) {
	c.sw.with(func(core *vswitch.Switch, now time.Duration) {
		c.ended = err
		c.sw.losses.Waiting += c.Unsent()
		c.sw.conns = slices.DeleteFunc(c.sw.conns, func(other *conn) bool { return other == c })
		c.sw.setMiss(core, now)
	})
}

// Refused notes why there is no connection.
func (c *conn) Refused(err error) {
	c.sw.mu.Lock()
	defer c.sw.unlock()
	c.ended = err
}

// BatchEnd gives flowsync what the messages of the batch have ordered, and sends their packets.
func (c *conn) BatchEnd(*session.Session) {
	c.now = 0
	c.sw.give()
	c.sw.cfg.Physical.Flush()
}

// Features answers a features request.
func (c *conn) Features(s *session.Session) (r openflow.FeaturesReply) {
	c.sw.with(func(core *vswitch.Switch, _ time.Duration) {
		r = core.Tables().Features(s.Version())
		r.DatapathID = uint64(c.sw.cfg.DPID)
	})
	return r
}

// origin is who sent a message.
func (c *conn) origin(h openflow.Header) vswitch.Origin {
	return vswitch.Origin{Conn: c.number, XID: h.XID}
}

// do calls f, and answers its error. What it orders is given at the end of the batch.
func (c *conn) do(s *session.Session, h openflow.Header, m openflow.Message,
	f func(core *vswitch.Switch, now time.Duration, out vswitch.Output) error) {
	if !c.pace(s) {
		return
	}
	if c.now == 0 {
		c.now = c.sw.cfg.Now()
	}
	c.sw.mu.Lock()
	defer c.sw.unlock()
	if c.sw.deliver(); c.sw.gone {
		return
	}
	if err := f(c.sw.core, c.now, (*output)(c.sw)); err != nil {
		agent.Refuse(s, h, m, err)
	}
}

// leavingMax is how many entries may be on their way out of the physical switch while more are added.
const leavingMax = 20_000

// FlowMod changes entries.
func (c *conn) FlowMod(s *session.Session, h openflow.Header, m *openflow.FlowMod) {
	c.do(s, h, m, func(core *vswitch.Switch, now time.Duration, out vswitch.Output) error {
		if m.Command == openflow.FlowAdd && core.Leaving() > leavingMax {
			return &flowtable.Error{Code: openflow.FlowModFailedTableFull, Reason: "too many entries are being removed"}
		}
		return core.FlowMod(c.Version(), m, c.origin(h), now, out)
	})
}

// PacketOut sends a packet, after what was ordered before it.
func (c *conn) PacketOut(s *session.Session, h openflow.Header, m *openflow.PacketOut) {
	c.sw.give()
	c.do(s, h, m, func(core *vswitch.Switch, now time.Duration, out vswitch.Output) error {
		return core.PacketOut(c.Version(), m, c.origin(h), now, out)
	})
}

// Message does what the session does not do itself.
func (c *conn) Message(s *session.Session, h openflow.Header, m openflow.Message) {
	switch m := m.(type) {
	case *openflow.GroupMod:
		c.do(s, h, m, func(core *vswitch.Switch, now time.Duration, out vswitch.Output) error {
			return core.GroupMod(c.Version(), m, c.origin(h), now, out)
		})
	case *openflow.MeterMod:
		c.do(s, h, m, func(core *vswitch.Switch, now time.Duration, out vswitch.Output) error {
			return core.MeterMod(c.Version(), m, c.origin(h), now, out)
		})
	case *openflow.ErrorMsg: // nothing asks a controller for anything
	default:
		if r, ok := m.(*openflow.MultipartRequest); !c.pace(s) || ok && !c.counters(s, r.Body) {
			return
		}
		c.Agent.Message(s, h, m)
	}
}

// barriersMax is how many barriers of a connection wait for the physical switch.
const barriersMax = 4096

// errBarriers ends a connection.
var errBarriers = errors.New("too many barriers wait for the physical switch")

// Barrier is answered when all that was ordered before it has an outcome.
func (c *conn) Barrier(s *session.Session, h openflow.Header) {
	if !c.pace(s) {
		return
	}
	tooMany := false
	c.sw.locked(func(core *vswitch.Switch, _ time.Duration) {
		if tooMany = c.barriers >= barriersMax; !tooMany && !c.sw.gone {
			c.barriers++
			core.Barrier(c.origin(h), (*output)(c.sw))
		}
	})
	if tooMany {
		s.Close(errBarriers)
	}
}

// confirmed answers a barrier. The lock is held.
func (c *conn) confirmed(xid uint32) {
	c.barriers--
	_ = c.session.Reply(xid, &openflow.BarrierReply{})
}

// refused answers a flow-mod that the physical switch has refused; its bytes are not kept. The lock is held.
func (c *conn) refused(xid uint32, why *flowtable.Error) {
	d := &openflow.DecodeError{Code: why.Code, Reason: why.Reason}
	header, err := openflow.Append(nil, c.Version(), xid, &openflow.FlowMod{Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny})
	if err == nil {
		header = header[:openflow.HeaderLen]
	}
	_ = c.session.Reply(xid, openflow.NewError(d, header))
}

// Tables implements agent.Switch.
func (c *conn) Tables(f func(t *flowtable.Switch, now time.Duration, out flowtable.Output) error) (ok bool, err error) {
	c.sw.with(func(core *vswitch.Switch, now time.Duration) {
		vswitch.Tally{Switch: core}.Look(now)
		err = f(core.Tables(), now, (*output)(c.sw))
	})
	return true, err
}

// Desc describes the switch.
func (c *conn) Desc() *openflow.Desc {
	return &openflow.Desc{Manufacturer: "Weir", Hardware: "virtual switch", Software: "Weir",
		Serial: fmt.Sprintf("%d-%s", c.sw.cfg.Tenant, c.sw.cfg.DPID), Datapath: c.sw.cfg.Name}
}

// Show says of what nobody knows that it is not available.
func (c *conn) Show(reply openflow.ReplyBody) { notKnown(c.sw, reply) }

// PortMod refuses: a port is the physical switch's.
func (c *conn) PortMod(openflow.Version, *openflow.PortMod) (ok bool, err error) {
	return true, &flowtable.Error{Code: openflow.PortModFailedEPerm, Reason: "the ports of a tenant's switch cannot be configured"}
}
