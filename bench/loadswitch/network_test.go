package loadswitch

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/session/pipe"
)

// controller writes down the packet-ins and messages of its switches.
type controller struct {
	mu       sync.Mutex
	sessions map[uint64]*session.Session
	heard    []string
	pins     []packet.MAC // sources
	ports    []uint32
}

func (c *controller) Connected(s *session.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[s.Features().Datapath] = s
}

func (c *controller) PacketIn(s *session.Session, _ openflow.Header, pin *openflow.PacketIn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pins = append(c.pins, packet.MAC(pin.Data[6:]))
	c.ports = append(c.ports, uint32(s.Features().Datapath)<<16|pin.InPort)
}

func (c *controller) Message(_ *session.Session, h openflow.Header, m openflow.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h.XID = 0
	c.heard = append(c.heard, openflow.Text(h, m))
}

func (*controller) BatchEnd(*session.Session)            {}
func (*controller) Disconnected(*session.Session, error) {}

// lab is a network whose switches are connected, in memory, to a controller.
type lab struct {
	*Network
	c      *controller
	server *session.Server
}

func newLab(t *testing.T, topology string, cfg Config) *lab {
	t.Helper()
	top, err := ParseTopology(topology, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{Network: New(top, cfg), c: &controller{sessions: make(map[uint64]*session.Session)}}
	l.server = session.NewServer(session.Config{}, l.c)
	for _, sw := range l.Switches {
		var a, b net.Conn = pipe.New(pipe.Options{})
		if _, err := l.server.ServeConn(a); err != nil {
			t.Fatal(err)
		}
		if _, err := l.dialer.ServeConn(b, &sw.roles, sw); err != nil {
			t.Fatal(err)
		}
	}
	l.settle()
	return l
}

func (l *lab) settle() {
	time.Sleep(time.Millisecond)
	synctest.Wait()
}

func (l *lab) close(t *testing.T) {
	t.Helper()
	for _, end := range []interface{ Close(context.Context) error }{l.server, l.Network} {
		if err := end.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// ask sends a request as the controller of a switch and returns the answer's text.
func (l *lab) ask(t *testing.T, id uint64, body openflow.RequestBody) openflow.ReplyBody {
	t.Helper()
	var got openflow.ReplyBody
	err := l.c.sessions[id].Multipart(body, func(r openflow.ReplyBody, err error) {
		if err != nil {
			t.Error(err)
		}
		got = r
	})
	if err != nil {
		t.Fatal(err)
	}
	l.settle()
	return got
}

func both(t *testing.T, f func(t *testing.T, v openflow.Version)) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { f(t, v) }) })
	}
}

func TestSwitchesDescribeThemselves(t *testing.T) {
	both(t, func(t *testing.T, v openflow.Version) {
		l := newLab(t, "linear:3", Config{Version: v, Hosts: 100, HostPorts: 4})
		defer l.close(t)
		for id, want := range map[uint64]int{1: 5, 2: 6, 3: 5} {
			f := l.c.sessions[id].Features()
			if len(f.Ports) != want || f.Desc.Manufacturer != "Weir" || l.Switches[id-1].Described() == 0 ||
				!l.Switches[id-1].DescribedWhole() {
				t.Errorf("switch %d: %d ports, %q, described %v", id, len(f.Ports), f.Desc.Manufacturer,
					l.Switches[id-1].Described())
			}
		}
	})
}

// entry is an ADD with a cookie for one destination.
func addFlow(cookie uint64, priority uint16, dst byte) *openflow.FlowMod {
	m := &openflow.FlowMod{Cookie: cookie, Priority: priority, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Flags: openflow.FlagSendFlowRemoved,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(uint32(dst)))}}
	m.Match.Set(openflow.FieldEthDst, []byte{2, 0, 0, 0, 0, dst}, nil)
	return m
}

var allFlows = openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}

func TestEntriesAreHeldAnsweredAndDeleted(t *testing.T) {
	both(t, func(t *testing.T, v openflow.Version) {
		l := newLab(t, "single:1", Config{Version: v, Hosts: 1})
		defer l.close(t)
		s := l.c.sessions[1]
		for i := range 200 {
			s.Send(addFlow(uint64(i%2), 7, byte(i)))
		}
		s.Send(addFlow(5, 7, 9)) // in the place of another
		flows := l.ask(t, 1, &openflow.FlowRequest{FlowFilter: allFlows}).(*openflow.FlowStatsList).Flows
		if len(flows) != 200 {
			t.Fatalf("%d entries answered, not 200", len(flows))
		}
		del := &openflow.FlowMod{Command: openflow.FlowDelete, Table: openflow.TableAll, Buffer: openflow.NoBuffer,
			OutPort: 3, OutGroup: openflow.GroupAny}
		s.Send(del)
		strict := addFlow(0, 8, 4) // another priority: it is not there
		strict.Command = openflow.FlowDeleteStrict
		s.Send(strict)
		strict.Priority = 7
		s.Send(strict)
		if v != openflow.V10 {
			del.OutPort, del.Cookie, del.CookieMask = openflow.PortAny, 5, ^uint64(0)
			s.Send(del)
		}
		sum := l.ask(t, 1, &openflow.AggregateRequest{FlowFilter: allFlows}).(*openflow.AggregateStats)
		want := 198
		if v != openflow.V10 {
			want = 197
		}
		if int(sum.Flows) != want || l.Switches[0].Entries() != want || len(l.c.heard) != 200-want {
			t.Errorf("%d entries left, %d flow-removed; want %d, %d", sum.Flows, len(l.c.heard), want, 200-want)
		}
		tables := l.ask(t, 1, &openflow.TableRequest{}).(*openflow.TableStatsList).Tables
		if int(tables[0].Active) != want {
			t.Errorf("table 0 has %d entries, not %d", tables[0].Active, want)
		}
	})
}

func TestDiscoveryFramesCrossLinksAndNothingElse(t *testing.T) {
	both(t, func(t *testing.T, v openflow.Version) {
		l := newLab(t, "ring:3", Config{Version: v, Hosts: 1})
		defer l.close(t)
		frame := func(etherType uint16, n byte) []byte {
			return append(packet.AppendEthernet(nil, packet.LLDPMulticast, packet.MAC{2, 0, 0, 0, 0, n}, 0, 0,
				etherType), make([]byte, 46)...)
		}
		out := func(id uint64, port uint32, f []byte) {
			l.c.sessions[id].Send(&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
				Actions: []openflow.Action{openflow.Output(port)}, Data: f})
			l.settle()
		}
		out(1, 1, frame(packet.TypeLLDP, 1)) // no entries: it goes to the controller
		out(1, 1, frame(packet.TypeIPv4, 2))
		l.c.sessions[2].Send(addFlow(1, 1, 1))
		l.settle()
		out(1, 1, frame(packet.TypeLLDP, 3)) // entries, but none for it
		lldp := addFlow(1, 9, 1)
		lldp.Match = openflow.Match{}
		lldp.Match.SetUint(openflow.FieldEthType, etherTypeLLDP)
		l.c.sessions[2].Send(lldp)
		l.settle()
		out(1, 1, frame(packet.TypeLLDP, 4))
		out(2, openflow.PortFlood, frame(packet.TypeLLDP, 5))
		slices.Sort(l.c.ports[2:]) // of two switches at the same time
		want := []uint32{2<<16 | 1, 2<<16 | 1, 1<<16 | 1, 3<<16 | 1}
		if !slices.Equal(l.c.ports, want) || l.c.pins[1][5] != 4 {
			t.Fatalf("packet-ins at %x from %v, want at %x", l.c.ports, l.c.pins, want)
		}
		p := l.ask(t, 2, &openflow.PortStatsRequest{Port: 1}).(*openflow.PortStatsList).Ports[0]
		if p.RxPackets != 4 || p.TxPackets != 1 || p.RxBytes != 240 {
			t.Errorf("port 1 of switch 2: %d received (%d bytes), %d sent; want 4, 240, 1", p.RxPackets, p.RxBytes, p.TxPackets)
		}
	})
}

func TestHostsAnnounceThemselves(t *testing.T) {
	both(t, func(t *testing.T, v openflow.Version) {
		l := newLab(t, "linear:2", Config{Version: v, Hosts: 3, HostPorts: 2})
		defer l.close(t)
		l.Switches[1].Announce(nil)
		l.settle()
		for i, mac := range l.c.pins {
			n, ok := HostNumber(mac.Uint64())
			if h := l.Host(3 + i); !ok || n != 3+i || l.c.ports[i] != 2<<16|h.At.Port {
				t.Errorf("announcement %d by %v at %x, want host %d at port %d", i, mac, l.c.ports[i], 3+i, h.At.Port)
			}
		}
		if len(l.c.pins) != 3 {
			t.Errorf("%d announcements, not 3", len(l.c.pins))
		}
	})
}

// TestLongAnswersComeInParts asks a switch of many ports, with entries of many actions.
func TestLongAnswersComeInParts(t *testing.T) {
	both(t, func(t *testing.T, v openflow.Version) {
		l := newLab(t, "single:1", Config{Version: v, Hosts: 5000, HostPorts: 5000})
		defer l.close(t)
		if n := len(l.c.sessions[1].Features().Ports); n != MaxHostPorts {
			t.Errorf("%d ports described, not %d", n, MaxHostPorts)
		}
		stats := l.ask(t, 1, &openflow.PortStatsRequest{Port: openflow.PortAny}).(*openflow.PortStatsList)
		if len(stats.Ports) != MaxHostPorts {
			t.Errorf("counters of %d ports, not %d", len(stats.Ports), MaxHostPorts)
		}
		m := addFlow(1, 1, 0)
		for range 500 {
			m.Instructions[0].Actions = append(m.Instructions[0].Actions, openflow.Output(1))
		}
		for i := range 100 {
			m.Priority = uint16(i)
			l.c.sessions[1].Send(m)
		}
		l.settle()
		flows := l.ask(t, 1, &openflow.FlowRequest{FlowFilter: allFlows}).(*openflow.FlowStatsList).Flows
		if len(flows) != 100 || len(flows[99].Instructions[0].Actions) != 501 {
			t.Errorf("%d entries answered, not 100", len(flows))
		}
	})
}
