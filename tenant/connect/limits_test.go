package connect

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// TestLimits: at each limit the controller gets the error that OpenFlow has for it; what is over the rate of packet-ins is
// counted; and what is below goes on.
func TestLimits(t *testing.T) {
	s, orders := virtual(t, func(uint32, []byte) {})
	s.SetLimits(tenant.Limits{Entries: 2, Groups: 1, Meters: 1, PacketIns: 3})
	c := connect(t, s, listen(t))
	execute(t, s, orders)

	add := func(port uint32) openflow.Message {
		m := &openflow.FlowMod{Priority: 1, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(openflow.PortController))}}
		m.Match.SetUint(openflow.FieldInPort, uint64(port))
		return m
	}
	group := func(n uint32) openflow.Message { return &openflow.GroupMod{Command: openflow.GroupAdd, Group: n} }
	meter := func(n uint32) openflow.Message {
		return &openflow.MeterMod{Command: openflow.MeterAdd, Meter: n, Flags: openflow.MeterFlagKbps,
			Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 1000}}}
	}
	for i, x := range []struct {
		m    openflow.Message
		want string // in the answer; empty: there is none
	}{
		{add(1), ""}, {add(2), ""}, {add(1), ""}, {add(3), "OFPFMFC_TABLE_FULL"},
		{group(1), ""}, {group(2), "OFPGMFC_OUT_OF_GROUPS"},
		{meter(1), ""}, {meter(2), "OFPMMFC_OUT_OF_METERS"},
	} {
		answers := strings.Join(c.ask(uint32(100+i), x.m), "; ")
		if (x.want == "") != (answers == "") || !strings.Contains(answers, x.want) {
			t.Errorf("message %d is answered by %q, want %q", i, answers, x.want)
		}
	}

	pin := &openflow.PacketIn{Buffer: openflow.NoBuffer, InPort: 1, Data: make([]byte, 60),
		Cookie: plan.Cookie{Kind: plan.KindTenant, Domain: 1, Owner: plan.TenantOwner(7, 1)}.Encode()}
	pin.Match.SetUint(openflow.FieldInPort, 1)
	for range 10 {
		s.PacketIn(pin)
	}
	shown := len(c.barrier(1))
	if lost := s.Losses().PacketIns; shown < 3 || shown+int(lost) != 10 {
		t.Errorf("of 10 packet-ins %d were shown, and %d are counted as lost", shown, lost)
	}
}

// TestWaitingBytes: what does not fit into the bytes that may wait for a controller that does not read is lost and counted; one
// that reads loses nothing meanwhile.
func TestWaitingBytes(t *testing.T) {
	const room, frame, sent = 1 << 16, 1000, 20_000
	s, _ := virtual(t, func(uint32, []byte) {})
	s.SetLimits(tenant.Limits{WaitingBytes: room})
	ln := listen(t)
	deaf, reads := connect(t, s, ln), connect(t, s, ln)
	for _, c := range []*controller{deaf, reads} {
		c.barrier(1)
	}
	pin := &openflow.PacketIn{Buffer: openflow.NoBuffer, InPort: 1, Data: make([]byte, frame),
		Cookie: plan.Cookie{Kind: plan.KindTenant, Domain: 1, Owner: plan.TenantOwner(7, 1)}.Encode()}
	pin.Match.SetUint(openflow.FieldInPort, 1)
	s.SetPort(openflow.Port{Number: 3})
	if h, _ := reads.next(); h.Type != openflow.TypePortStatus {
		t.Fatalf("a port that comes is told by %s", h.Type)
	}
	add := &openflow.FlowMod{Priority: 1, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.OutputController(openflow.ControllerNoCut))}}
	reads.send(add, 2)
	reads.send(&openflow.EchoRequest{}, 3)
	reads.heard(openflow.TypeEchoReply)
	for range sent {
		s.PacketIn(pin)
		if h, _ := reads.next(); h.Type != openflow.TypePacketIn {
			t.Fatalf("heard %s", h.Type)
		}
	}
	lost := s.Losses().Waiting
	waiting := 0
	for _, c := range s.conns {
		waiting = max(waiting, c.session.Queue())
	}
	if lost == 0 || lost >= sent || waiting > room {
		t.Errorf("of %d packet-ins %d are counted as lost, and %d bytes wait; want some, and %d", sent, lost, waiting, room)
	}
	heard := 0
	for range sent - int(lost) {
		if h, _ := deaf.next(); h.Type == openflow.TypePacketIn {
			heard++
		}
	}
	if heard != sent-int(lost)-1 { // and a port status
		t.Errorf("then the controller hears %d packet-ins, and %d were lost", heard, lost)
	}
}

// TestBarriersThatWait: a controller that asks for more barriers than may wait for a physical switch that answers nothing
// loses its connection, and not before.
func TestBarriersThatWait(t *testing.T) {
	s, _ := virtual(t, func(uint32, []byte) {}) // nobody takes orders
	c := connect(t, s, listen(t))
	c.send(&openflow.FlowMod{Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}, 1)
	for xid := range uint32(barriersMax) {
		c.send(&openflow.BarrierRequest{}, 10+xid)
	}
	c.send(&openflow.EchoRequest{}, 5)
	if h, _ := c.next(); h.Type != openflow.TypeEchoReply {
		t.Fatalf("the switch answers with %s, want an answer to the echo", h.Type)
	}
	c.send(&openflow.BarrierRequest{}, 9)
	if _, err := c.in.ReadByte(); err == nil {
		t.Error("the connection lives on")
	}
}

// TestWithdrawn: what a controller has sent and what is not done yet is not done once the switch is withdrawn, and a reader
// that waits because of a limit does not hold up the end of its connection.
func TestWithdrawn(t *testing.T) {
	s, orders := virtual(t, func(uint32, []byte) {})
	s.SetLimits(tenant.Limits{Messages: 1})
	ln := listen(t)
	stream, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	of, err := s.Connect(stream)
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := meet(t, accepted, openflow.V13)
	m := &openflow.FlowMod{Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	for priority := range uint16(1000) { // a quarter of an hour's, at that rate
		m.Priority = priority
		c.send(m, uint32(priority))
	}
	<-orders
	s.Withdraw()
	of.Close(errors.New("the tenant is removed"))
	<-of.Done()
	ordered := make(map[*ruleset.Set]bool)
	for len(orders) > 0 {
		for _, o := range <-orders {
			if ordered[o.Rules] = true; o.Remove {
				delete(ordered, o.Rules)
			}
		}
	}
	if len(ordered) > 0 {
		t.Errorf("%d rules are ordered for a switch that was withdrawn", len(ordered))
	}
}

// TestNothingIsOrderedAfterwards: a connection that lives a little longer than its switch orders nothing.
func TestNothingIsOrderedAfterwards(t *testing.T) {
	s, orders := virtual(t, func(uint32, []byte) {})
	c := connect(t, s, listen(t))
	s.Withdraw()
	c.send(&openflow.FlowMod{Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}, 1)
	c.send(&openflow.EchoRequest{}, 2)
	if h, text := c.next(); h.Type != openflow.TypeEchoReply {
		t.Errorf("the switch answers with %s, want an answer to the echo", text)
	}
	if len(orders) > 0 {
		t.Errorf("it orders %v", <-orders)
	}
}

// TestPacedAnswers: what waits for the limit of messages holds up no answer to those before it, though all came at once.
func TestPacedAnswers(t *testing.T) {
	s, orders := virtual(t, func(uint32, []byte) {})
	s.SetLimits(tenant.Limits{Messages: 2})
	c := connect(t, s, listen(t))
	execute(t, s, orders)
	var all []byte
	for x := range uint32(8) {
		b, err := openflow.Append(nil, c.v, x+1, &openflow.BarrierRequest{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	c.write(all)
	for x := range uint32(2) {
		if h, _ := c.next(); h.XID != x+1 {
			t.Errorf("an answer to %d, want %d", h.XID, x+1)
		}
	}
	if paced := s.Losses().Paced; paced > 4 {
		t.Errorf("%d messages had waited when the first answers came", paced)
	}
}
