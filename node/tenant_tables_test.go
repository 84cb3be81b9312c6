package node_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// fixed is a controller that does nothing unless it is told to, as one does that thinks its switches have kept their tables.
type fixed struct {
	t        *testing.T
	address  string
	mu       sync.Mutex
	sessions map[uint64]*session.Session
	close    func() // before instances look for what they left
	heard    []openflow.Message
}

func newFixed(t *testing.T, v openflow.Version) *fixed {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &fixed{t: t, address: l.Addr().String(), sessions: make(map[uint64]*session.Session)}
	server := session.NewServer(session.Config{Versions: []openflow.Version{v}}, c)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	c.close = sync.OnceFunc(func() {
		_ = server.Close(context.Background())
		<-done
	})
	t.Cleanup(c.close)
	return c
}

func (c *fixed) Connected(s *session.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[s.Features().Datapath] = s
}

func (c *fixed) Disconnected(s *session.Session, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, s.Features().Datapath)
}

func (c *fixed) PacketIn(_ *session.Session, _ openflow.Header, pin *openflow.PacketIn) {
	own := *pin
	own.Match, own.Data = pin.Match.Clone(), slices.Clone(pin.Data)
	c.hear(&own)
}

func (c *fixed) Message(_ *session.Session, _ openflow.Header, m openflow.Message) {
	if e, ok := m.(*openflow.ErrorMsg); ok {
		c.hear(&openflow.ErrorMsg{Code: e.Code})
	}
}

func (c *fixed) BatchEnd(*session.Session) {}

// heardMax is how many packet-ins and errors are kept.
const heardMax = 100

func (c *fixed) hear(m openflow.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.heard) < heardMax {
		c.heard = append(c.heard, m)
	}
}

// takeHeard returns the packet-ins and errors that have come.
func (c *fixed) takeHeard() []openflow.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.heard
	c.heard = nil
	return list
}

// to returns the session of a switch; nil if it is not connected.
func (c *fixed) to(dpid uint64) *session.Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[dpid]
}

// confirmed sends messages, and waits until the switch has confirmed them.
func (c *fixed) confirmed(dpid uint64, list ...openflow.Message) {
	c.t.Helper()
	done := make(chan error, 1)
	s := c.to(dpid)
	if s == nil {
		c.t.Fatalf("switch %d is not connected", dpid)
	}
	if _, err := s.Send(list...); err != nil {
		c.t.Fatal(err)
	}
	if err := s.Barrier(func(err error) { done <- err }); err != nil {
		c.t.Fatal(err)
	}
	if err := <-done; err != nil {
		c.t.Fatal(err)
	}
}

// entries are those of a switch as it lists them.
func (c *fixed) entries(dpid uint64) (list []string) {
	c.t.Helper()
	got := make(chan openflow.ReplyBody, 1)
	s := c.to(dpid)
	if s == nil {
		return nil
	}
	if err := s.Multipart(&openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}, func(r openflow.ReplyBody, _ error) { got <- r }); err != nil {
		return nil
	}
	if r, ok := (<-got).(*openflow.FlowStatsList); ok {
		for _, e := range r.Flows {
			list = append(list, fmt.Sprintf("%d %d %x %v %v", e.Table, e.Priority, e.Cookie, e.Match, e.Instructions))
		}
	}
	slices.Sort(list)
	return list
}

// flowAdd adds an entry of a priority.
func flowAdd(priority uint16, actions ...openflow.Action) *openflow.FlowMod {
	m := &openflow.FlowMod{Priority: priority, Cookie: uint64(priority), Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Instructions: []openflow.Instruction{openflow.Apply(actions...)}}
	m.Match.SetUint(openflow.FieldEthDst, uint64(priority))
	return m
}

// objectsOf makes two meters that do the same, two groups that do the same, and entries that use them.
func objectsOf() (list []openflow.Message) {
	bucket := openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
		Actions: []openflow.Action{openflow.Output(1)}}
	for n := uint32(1); n <= 2; n++ {
		m := flowAdd(uint16(300+n), openflow.Group(n))
		m.Instructions = append(m.Instructions, openflow.UseMeter(n))
		list = append(list, &openflow.GroupMod{Group: n, Buckets: []openflow.Bucket{bucket}},
			&openflow.MeterMod{Meter: n, Flags: openflow.MeterFlagPktps,
				Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 77}}}, m)
	}
	return list
}

// isObjectMod reports whether a message makes, changes or deletes a group or a meter.
func isObjectMod(e entry) bool {
	return e.m.Type() == openflow.TypeGroupMod || e.m.Type() == openflow.TypeMeterMod
}

// TestTenantsTablesAreKept: an instance that ends and is started anew has the tables of its tenants' switches, and writes
// nothing into the physical switches, whose rules are what they were.
func TestTenantsTablesAreKept(t *testing.T) {
	for name, ports := range map[string][]string{"all": {"*"}, "of switches": {"1/*", "2/*"}} {
		t.Run(name, func(t *testing.T) {
			versions(t, func(t *testing.T, v openflow.Version) { tablesAreKept(t, v, ports) })
		})
	}
}

func tablesAreKept(t *testing.T, v openflow.Version, ports []string) {
	ctl := newFixed(t, v)
	first := start(t)
	limits := &client.TenantLimits{}
	if v != openflow.V10 {
		limits.Mbps = 100
	}
	n := first.emulate("linear:2", v)
	if _, err := first.api.PutTenant(t.Context(), &client.TenantDefinition{Name: "blue", Ports: ports, Limits: limits,
		Controllers: []string{"tcp:" + ctl.address}}, client.TenantOptions{}); err != nil {
		t.Fatal(err)
	}
	served := func(i *instance) {
		i.await("the tenant's switches", func() bool { return ctl.to(1) != nil && ctl.to(2) != nil })
	}
	served(first)
	var want [2][]string
	for k := range want {
		var list []openflow.Message
		if v != openflow.V10 {
			list = append(list, objectsOf()...)
		}
		for priority := range uint16(100) {
			list = append(list, flowAdd(1+priority, openflow.Output(uint32(1+priority%2))))
		}
		gone := flowAdd(50)
		gone.Command = openflow.FlowDelete
		ctl.confirmed(uint64(1+k), append(list, gone)...)
		if want[k] = ctl.entries(uint64(1 + k)); len(want[k]) != len(list)-1 && v == openflow.V10 || len(want[k]) < 99 {
			t.Fatalf("%d entries", len(want[k]))
		}
	}
	first.stopWith(n)
	mark := first.journal.mark()
	second := start(t, func(c *node.Config) { c.DataDir = first.cfg.DataDir })
	if err := n.Connect(t.Context(), second.at.OpenFlow); err != nil {
		t.Fatal(err)
	}
	served(second)
	for k := range want {
		if got := ctl.entries(uint64(1 + k)); !slices.Equal(got, want[k]) {
			t.Errorf("switch %d has %d entries after the restart, want %d", 1+k, len(got), len(want[k]))
		}
		ctl.confirmed(uint64(1+k), flowAdd(200, openflow.Output(1)))
	}
	if mods := first.journal.since(mark, isObjectMod); len(mods) > 0 {
		t.Errorf("groups and meters are written after the restart: %v", texts(mods))
	}
	mods := slices.DeleteFunc(first.journal.since(mark, isFlowMod), func(e entry) bool {
		return len(e.m.(*openflow.FlowMod).Match.OXM) == 0 // what shows misses is for controllers that are there
	})
	if len(mods) != 2 {
		t.Errorf("%d flow-mods after the restart, want the two that were asked for: %v", len(mods), texts(mods))
	}
	ctl.close()
	if err := n.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
