package connect

import (
	"bufio"
	"context"
	"io"
	"net"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/vswitch"
)

const tables = 3

// physical has orders go to a channel, and frames to a function.
type physical struct {
	orders chan []ruleset.Order
	sent   func(port uint32, frame []byte)
	count  func(vswitch.CounterKind) // has counters come
}

func (p physical) Order(list []ruleset.Order)       { p.orders <- slices.Clone(list) }
func (p physical) Send(port uint32, frame []byte)   { p.sent(port, frame) }
func (p physical) Flush()                           {}
func (p physical) Count(k vswitch.CounterKind)      { p.count(k) }
func (p physical) PortCounters(*openflow.PortStats) {}

// virtual is a virtual switch with ports 1 and 2, whose orders come to a channel. Regions without a priority are read-only.
func virtual(t *testing.T, sent func(port uint32, frame []byte), space ...tenant.Region) (*Switch, chan []ruleset.Order) {
	return virtualOf(t, vswitch.Config{Tables: tables}, sent, space...)
}

// virtualOf is virtual, of a configuration.
func virtualOf(t *testing.T, cfg vswitch.Config, sent func(port uint32, frame []byte), space ...tenant.Region) (*Switch,
	chan []ruleset.Order) {
	return virtualWith(t, sent, func(c *Config) {
		c.Tables, c.Single, c.Version = cfg.Tables, cfg.Single, cfg.Version
	}, space...)
}

// virtualWith is virtual, with another configuration.
func virtualWith(t *testing.T, sent func(port uint32, frame []byte), change func(*Config), space ...tenant.Region) (*Switch,
	chan []ruleset.Order) {
	tenants := tenant.New()
	ports := []netview.Point{{DPID: 1, Port: 1}, {DPID: 1, Port: 2}}
	d := tenant.Definition{Name: "red", Number: 7, Ports: ports}
	for _, r := range space {
		if r.Priority == 0 {
			d.Watched = append(d.Watched, r)
		} else {
			d.Space = append(d.Space, r)
		}
	}
	if err := tenants.Put(d); err != nil {
		t.Fatal(err)
	}
	var frames *vswitch.Frames
	if len(space) > 0 {
		var err error
		if frames, err = vswitch.NewFrames(tenants); err != nil {
			t.Fatal(err)
		}
	}
	orders := make(chan []ruleset.Order, 100)
	began := time.Now()
	dialer := session.NewDialer(session.Config{})
	var s *Switch
	count := func(k vswitch.CounterKind) { s.Counted(k, &vswitch.Counters{Kind: k, Asked: s.cfg.Now()}, 0) }
	cfg := Config{Name: "s1", Sessions: dialer, Now: func() time.Duration { return time.Since(began) },
		Physical: physical{orders, sent, count}, Config: vswitch.Config{Tenant: 7, DPID: 1, Tables: tables,
			Space: tenants.Space("red"), Frames: frames, Rows: &vswitch.Rows{}}}
	change(&cfg)
	s = New(cfg)
	for _, p := range ports {
		s.SetPort(openflow.Port{Number: p.Port})
	}
	t.Cleanup(func() { _ = dialer.Close(context.Background()) })
	return s, orders
}

// execute executes all orders at once, until the test ends.
func execute(t *testing.T, s *Switch, orders chan []ruleset.Order) {
	done, end := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case list := <-orders:
				for _, o := range list {
					if o.Remove {
						s.Removed(&countersOf(s, o.Rules, 0).List[0])
					}
				}
				s.Outcomes(outcomes(list, ruleset.Installed))
			case <-end:
				return
			}
		}
	}()
	t.Cleanup(func() {
		close(end)
		<-done
	})
}

// outcomes are those of orders, of which rules that are not removed are installed, or another thing.
func outcomes(orders []ruleset.Order, otherwise ruleset.Result) (list []ruleset.Outcome) {
	for _, o := range orders {
		x := ruleset.Outcome{Rules: o.Rules, Result: otherwise, Code: openflow.FlowModFailedTableFull, Reason: "full"}
		if o.Remove {
			x.Result = ruleset.Removed
		}
		list = append(list, x)
	}
	return list
}

// controller is a controller's end of a connection, by hand.
type controller struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	v    openflow.Version
}

// meet accepts the connection of a switch, and has the handshake.
func meet(t *testing.T, conn net.Conn, v openflow.Version) *controller {
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	c := &controller{t, conn, bufio.NewReader(conn), v}
	c.send(&openflow.Hello{Versions: 1 << uint(v)}, 1)
	if h, _ := c.next(); h.Type != openflow.TypeHello {
		t.Fatalf("the switch begins with %s", h.Type)
	}
	return c
}

// connect has a virtual switch connect to a controller.
func connect(t *testing.T, s *Switch, ln net.Listener) *controller {
	return connectAs(t, s, ln, openflow.V13)
}

// connectAs is connect, with a version.
func connectAs(t *testing.T, s *Switch, ln net.Listener, v openflow.Version) *controller {
	dial, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Connect(dial); err != nil {
		t.Fatal(err)
	}
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return meet(t, conn, v)
}

func (c *controller) send(m openflow.Message, xid uint32) {
	b, err := openflow.Append(nil, c.v, xid, m)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(b)
}

func (c *controller) write(b []byte) {
	if _, err := c.conn.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

// next is the next message.
func (c *controller) next() (openflow.Header, string) {
	head, err := c.in.Peek(openflow.HeaderLen)
	if err != nil {
		c.t.Fatal(err)
	}
	b := make([]byte, int(head[2])<<8|int(head[3]))
	if _, err := io.ReadFull(c.in, b); err != nil {
		c.t.Fatal(err)
	}
	h, m, err := openflow.Parse(b)
	if err != nil {
		c.t.Fatalf("the switch sends %x: %v", b, err)
	}
	return h, openflow.Text(h, m)
}

// counts are what differs between a switch that counts and one of which it is not known, and what takes time.
var counts = regexp.MustCompile(`(packets|bytes|packet_count|byte_count|duration_sec|duration_nsec|lookup_count|matched_count)=[0-9]+`)

// looks is what only looks differ in: how ports are called, and how fast they are.
var looks = regexp.MustCompile(`hw_addr=[^,]*,name="[^"]*"|(curr|advertised|supported|peer)=[^,}]*`)

// ask sends a message and a barrier, and returns what comes before the answer to that.
func (c *controller) ask(xid uint32, m openflow.Message) (answers []string) {
	c.send(m, xid)
	return c.barrier(xid)
}

func (c *controller) barrier(xid uint32) (answers []string) {
	c.send(&openflow.BarrierRequest{}, xid+1000)
	for {
		h, text := c.next()
		switch {
		case h.Type == openflow.TypeBarrierReply:
			return answers
		case h.Type != openflow.TypeEchoRequest:
			answers = append(answers, looks.ReplaceAllString(counts.ReplaceAllString(text, "$1=N"), ""))
		}
	}
}

func listen(t *testing.T) net.Listener {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

// TestAnswersAreAnEmulatedSwitchs: the same messages to a virtual and to an emulated switch have the same answers.
func TestAnswersAreAnEmulatedSwitchs(t *testing.T) {
	t.Run("1.3", func(t *testing.T) { sameAnswers(t, openflow.V13, vswitch.Config{Tables: tables}, conversation()) })
	t.Run("1.3, one table", func(t *testing.T) {
		sameAnswers(t, openflow.V13, vswitch.Config{Tables: 1, Single: true}, conversation())
	})
	t.Run("1.0 at one of 1.0", func(t *testing.T) {
		sameAnswers(t, openflow.V10, vswitch.Config{Tables: 1, Single: true, Version: openflow.V10}, conversation10())
	})
	t.Run("1.0", func(t *testing.T) { sameAnswers(t, openflow.V10, vswitch.Config{Tables: tables}, conversation10()) })
}

func sameAnswers(t *testing.T, v openflow.Version, cfg vswitch.Config, conversation []openflow.Message) {
	ln := listen(t)
	top, err := topo.Parse("linear:1,hosts=2", 1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := emu.New(emu.Config{Topology: top, Versions: []openflow.Version{v}, Silent: true, Seed: 1,
		Controllers: []string{ln.Addr().String()}, Switch: flowtable.Config{Tables: int(cfg.Tables)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = n.Close(context.Background()) }()
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	emulated := meet(t, conn, v)

	s, orders := virtualOf(t, cfg, func(uint32, []byte) {})
	execute(t, s, orders)
	virtual := connectAs(t, s, ln, v)

	for i, m := range conversation {
		xid := uint32(2*i + 10)
		want, got := emulated.ask(xid, m), virtual.ask(xid, m)
		if !slices.Equal(got, want) {
			text := openflow.Text(openflow.Header{Version: v, Type: m.Type(), XID: xid}, m)
			t.Errorf("%s\nthe virtual switch: %q\nthe emulated one:   %q", text, got, want)
		}
	}
}

// conversation10 is what a controller of OpenFlow 1.0 may ask of a switch with two ports.
func conversation10() (list []openflow.Message) {
	flow := func(set func(*openflow.FlowMod), actions ...openflow.Action) {
		m := &openflow.FlowMod{Priority: 5, Cookie: 0x77, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
			OutGroup: openflow.GroupAny, Flags: openflow.FlagSendFlowRemoved}
		if len(actions) > 0 {
			m.Instructions = []openflow.Instruction{openflow.Apply(actions...)}
		}
		if set != nil {
			set(m)
		}
		list = append(list, m)
	}
	ask := func(body openflow.RequestBody) { list = append(list, &openflow.MultipartRequest{Body: body}) }
	all := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	udp := func(m *openflow.FlowMod) { m.Match.SetUint(openflow.FieldUDPDst, 7); m.Match = m.Match.Canonical() }
	vlan := openflow.Action{Type: openflow.ActionSetVLANVID, ID: 7}
	frame := make([]byte, 60)
	frame[12], frame[13] = 0x88, 0xb5

	list = append(list, &openflow.EchoRequest{Data: []byte("x")}, &openflow.FeaturesRequest{}, &openflow.GetConfigRequest{})
	list = append(list, &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: 1, Data: frame,
		Actions: []openflow.Action{openflow.Output(openflow.PortTable)}}) // a miss
	flow(nil, openflow.Output(1))
	flow(udp, openflow.SetField(openflow.FieldTCPDst, 9), openflow.SetField(openflow.FieldIPv4Dst, 1), openflow.Output(2))
	flow(func(m *openflow.FlowMod) { m.Priority = 6 }, vlan, openflow.Output(openflow.PortFlood),
		openflow.Action{Type: openflow.ActionPopVLAN}, openflow.Output(2))
	flow(func(m *openflow.FlowMod) { m.Match.SetUint(openflow.FieldVLANVID, 0); m.Priority = 7 },
		openflow.Action{Type: openflow.ActionSetVLANPCP, ID: 3}, openflow.OutputController(128))
	flow(func(m *openflow.FlowMod) { m.Priority = 0 }, openflow.OutputController(128))
	flow(func(m *openflow.FlowMod) { m.Match.SetUint(openflow.FieldInPort, 2) },
		openflow.Action{Type: openflow.ActionEnqueue, Port: openflow.PortInPort, ID: 3})
	flow(nil, openflow.Action{Type: openflow.ActionEnqueue, Port: 1, ID: 3})
	flow(nil, openflow.Action{Type: openflow.ActionExperimenter, ID: 77})
	flow(func(m *openflow.FlowMod) { m.Flags |= openflow.FlagEmergency }, openflow.Output(1))
	flow(func(m *openflow.FlowMod) {
		m.Flags |= openflow.FlagCheckOverlap
		m.Match.SetUint(openflow.FieldEthDst, 1)
	}, openflow.Output(1))
	flow(func(m *openflow.FlowMod) { m.Buffer = 77 }, openflow.Output(1))
	flow(func(m *openflow.FlowMod) { m.Command, m.Cookie = openflow.FlowModifyStrict, 0x78 }, openflow.Output(2))
	flow(func(m *openflow.FlowMod) { m.Command, m.Priority = openflow.FlowModifyStrict, 99 }, openflow.Output(2))
	list = append(list, &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: 1, Data: frame,
		Actions: []openflow.Action{openflow.Output(openflow.PortTable)}},
		&openflow.PacketOut{Buffer: 55, InPort: openflow.PortController})
	ask(&openflow.FlowRequest{FlowFilter: all})
	ask(&openflow.AggregateRequest{FlowFilter: all})
	ask(&openflow.TableRequest{})
	ask(&openflow.QueueRequest{Port: openflow.PortAny, Queue: openflow.QueueAll})
	list = append(list, &openflow.QueueGetConfigRequest{Port: 1}, &openflow.RoleRequest{Role: openflow.RoleMaster})
	for _, x := range experimenters(openflow.V10)[3:] {
		list = append(list, x.m)
	}
	flow(func(m *openflow.FlowMod) { m.Command, m.Table = openflow.FlowDelete, openflow.TableAll })
	ask(&openflow.FlowRequest{FlowFilter: all})
	return list
}

// conversation is what a controller may ask of a switch with two ports.
func conversation() (list []openflow.Message) {
	flow := func(set func(*openflow.FlowMod), do ...openflow.Instruction) {
		m := &openflow.FlowMod{Priority: 5, Cookie: 0x77, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
			OutGroup: openflow.GroupAny, Flags: openflow.FlagSendFlowRemoved, Instructions: do}
		if set != nil {
			set(m)
		}
		list = append(list, m)
	}
	ask := func(body openflow.RequestBody) { list = append(list, &openflow.MultipartRequest{Body: body}) }
	all := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	bucket := func(actions ...openflow.Action) openflow.Bucket {
		return openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny, Actions: actions}
	}
	out := func(port uint32) openflow.Instruction { return openflow.Apply(openflow.Output(port)) }

	list = append(list, &openflow.EchoRequest{Data: []byte("x")}, &openflow.FeaturesRequest{}, &openflow.GetConfigRequest{},
		&openflow.RoleRequest{Role: openflow.RoleMaster, Generation: 3}, &openflow.RoleRequest{Role: openflow.RoleNoChange})
	flow(nil, out(1))
	flow(func(m *openflow.FlowMod) { m.Match.SetUint(openflow.FieldInPort, 1); m.Priority = 9 },
		openflow.Apply(openflow.Output(openflow.PortFlood), openflow.OutputController(128)), openflow.GotoTable(1))
	flow(func(m *openflow.FlowMod) { m.Table = 1; m.IdleTimeout, m.HardTimeout = 30, 60 }, out(openflow.PortInPort))
	flow(func(m *openflow.FlowMod) { m.Table = 200 }, out(1))
	flow(nil, openflow.GotoTable(0))
	flow(nil, openflow.GotoTable(tables))
	flow(nil, out(openflow.PortMax+5))
	flow(nil, openflow.UseMeter(9), out(1))
	flow(nil, openflow.Apply(openflow.Group(9)))
	flow(func(m *openflow.FlowMod) { m.Match.SetUint(openflow.FieldTCPDst, 80) }, out(1))
	flow(func(m *openflow.FlowMod) {
		m.Flags |= openflow.FlagCheckOverlap
		m.Match.SetUint(openflow.FieldEthDst, 1)
	}, out(1))
	flow(func(m *openflow.FlowMod) { m.Buffer = 77 }, out(1))
	ask(&openflow.FlowRequest{FlowFilter: all})
	ask(&openflow.AggregateRequest{FlowFilter: all})
	for _, m := range []*openflow.GroupMod{
		{Group: 1, Buckets: []openflow.Bucket{bucket(openflow.Output(1)), bucket(openflow.Output(2))}},
		{Group: 1, Buckets: []openflow.Bucket{bucket(openflow.Output(1))}},
		{Group: 2, Buckets: []openflow.Bucket{bucket(openflow.Group(1))}},
		{Group: 1, Command: openflow.GroupModify, Buckets: []openflow.Bucket{bucket(openflow.Group(2))}},
		{Group: 3, Command: openflow.GroupModify},
		{Group: 4, Kind: openflow.GroupTypeIndirect},
	} {
		list = append(list, m)
	}
	flow(func(m *openflow.FlowMod) { m.Priority = 11 }, openflow.Apply(openflow.Group(1)))
	ask(&openflow.GroupDescRequest{})
	ask(&openflow.GroupRequest{Group: openflow.GroupAll})
	ask(&openflow.GroupRequest{Group: 7})
	list = append(list, &openflow.GroupMod{Command: openflow.GroupDelete, Group: 1})
	for _, m := range []*openflow.MeterMod{
		{Meter: 1, Flags: openflow.MeterFlagKbps, Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 100}}},
		{Meter: 1, Flags: openflow.MeterFlagKbps, Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 100}}},
		{Meter: 2, Command: openflow.MeterModify, Flags: openflow.MeterFlagKbps},
	} {
		list = append(list, m)
	}
	flow(func(m *openflow.FlowMod) { m.Priority = 12 }, openflow.UseMeter(1), out(1))
	ask(&openflow.MeterConfigRequest{Meter: openflow.MeterAll})
	ask(&openflow.MeterRequest{Meter: openflow.MeterAll})
	ask(&openflow.MeterRequest{Meter: 7})
	ask(&openflow.TableRequest{})
	ask(&openflow.TableFeaturesList{})
	ask(&openflow.QueueRequest{Port: openflow.PortAny, Queue: openflow.QueueAll})
	list = append(list, &openflow.QueueGetConfigRequest{Port: 1}, &openflow.GetAsyncRequest{},
		&openflow.TableMod{Table: 1})
	for _, x := range experimenters(openflow.V13) {
		list = append(list, x.m)
	}
	list = append(list, &openflow.PacketOut{Buffer: 55, InPort: openflow.PortController},
		&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController, Data: make([]byte, 60),
			Actions: []openflow.Action{openflow.Group(9)}})
	flow(func(m *openflow.FlowMod) { m.Command = openflow.FlowModify }, out(2))
	flow(func(m *openflow.FlowMod) { m.Command, m.Table = openflow.FlowDelete, openflow.TableAll })
	ask(&openflow.FlowRequest{FlowFilter: all})
	return list
}
