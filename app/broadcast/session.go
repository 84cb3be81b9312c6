package broadcast

import (
	"sync"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/southbound"
)

// App is the application's part in switches' sessions.
func (b *Broadcast) App() southbound.App { return app{b} }

type app struct{ *Broadcast }

// Name implements southbound.App.
func (app) Name() string { return Owner }

// SwitchUp implements southbound.App. Packet-ins are of interest only where rules cannot tell groups from
// hosts.
func (a app) SwitchUp(sw *southbound.Switch) southbound.Part {
	s := a.Attach(sw.DPID, sw.Output(Owner, nil))
	if plan.SingleTable(sw.Version, sw.Tables) {
		return &single{s}
	}
	return s
}

// Session is the application's part in one session of a switch.
type Session struct {
	dpid   netview.DPID
	b      *Broadcast
	out    Switch
	floods floodQuota // of the goroutine that reads from the switch; a later session begins after SwitchDown
}

// Attach begins a session of a switch.
func (b *Broadcast) Attach(dpid netview.DPID, out Switch) *Session {
	s := &Session{dpid: dpid, b: b, out: out}
	b.sessions.begin(s)
	return s
}

// SwitchDown implements southbound.Part.
func (s *Session) SwitchDown() { s.b.sessions.end(s) }

// single is the part in a session of a switch with the single-table form. There multicast has no rule.
type single struct{ *Session }

// PacketIn implements southbound.PacketHandler.
func (s *single) PacketIn(in *southbound.Packet) (consumed bool) {
	s.Group(in.PacketIn, in.Key.EthDst)
	return false
}

// Group floods a packet to a group, for which a switch with the single-table form has no rule; not one that
// the switch has forwarded itself, and shows only. It is called on the goroutine that reads from the switch.
func (s *Session) Group(pin *openflow.PacketIn, dst packet.MAC) {
	if dst[0]&groupBit[0] != 0 && dst != packet.Broadcast && !plan.IsCopy(pin) {
		s.flood(pin)
	}
}

// sessions are the session of each switch that has one: it ends before another of the switch begins. Any
// goroutine may use them.
type sessions struct {
	mu sync.Mutex
	of map[netview.DPID]*Session
}

func (x *sessions) begin(s *Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.of[s.dpid] = s
}

func (x *sessions) end(s *Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.of, s.dpid)
}

// get returns the session of a switch; nil if it has none.
func (x *sessions) get(dpid netview.DPID) *Session {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.of[dpid]
}

var (
	_ southbound.Part          = (*Session)(nil)
	_ southbound.PacketHandler = (*single)(nil)
	_ Switch                   = (*southbound.Output)(nil)
)
