package connect

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// TestBarrierMeansConfirmed: a barrier is answered when the physical switch has done what was asked before, and what it
// refuses is told before that, and is gone from the tables.
func TestBarrierMeansConfirmed(t *testing.T) {
	s, orders := virtual(t, func(uint32, []byte) {})
	c := connect(t, s, listen(t))
	mod := &openflow.FlowMod{Cookie: 0x77, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))}}
	c.send(mod, 5)
	c.send(&openflow.BarrierRequest{}, 6)
	c.send(&openflow.EchoRequest{}, 7)
	if h, text := c.next(); h.Type != openflow.TypeEchoReply {
		t.Fatalf("before the rule is there the controller hears %s", text)
	}
	list := <-orders
	s.Outcomes(outcomes(list, ruleset.Refused))
	for _, want := range []string{"1.3 error xid=0x5 type=OFPET_FLOW_MOD_FAILED code=OFPFMFC_TABLE_FULL", "1.3 barrier_reply xid=0x6"} {
		if _, text := c.next(); !strings.HasPrefix(text, want) {
			t.Errorf("heard %s, want %s", text, want)
		}
	}
	stats := &openflow.MultipartRequest{Body: &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}}
	if got := c.ask(8, stats); len(got) != 1 || !strings.HasSuffix(got[0], "flows=[]") {
		t.Errorf("after the refusal the tables have %q", got)
	}
}

// TestPackets: what the physical switch shows of a tenant's entry is shown as the tenant's tables would; what controllers
// send leaves, if it is in the tenant's space or discovers links.
func TestPackets(t *testing.T) {
	var match openflow.Match
	match.SetUint(openflow.FieldEthSrc, 0x020000000001)
	sent := make(chan string, 100)
	s, orders := virtual(t, func(port uint32, frame []byte) { sent <- fmt.Sprintf("%d %x", port, frame[6:14]) },
		tenant.Region{Priority: 1, Match: match})
	c := connect(t, s, listen(t))
	c.send(&openflow.FlowMod{Table: 1, Priority: 4, Cookie: 0x77, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Instructions: []openflow.Instruction{openflow.Apply(openflow.OutputController(64))}}, 5)
	rule := (<-orders)[0].Rules
	s.Outcomes([]ruleset.Outcome{{Rules: rule, Result: ruleset.Installed}})

	frame := append([]byte{2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}, make([]byte, 46)...)
	var in openflow.Match
	in.SetUint(openflow.FieldInPort, 2)
	in.SetUint(openflow.FieldMetadata, plan.TenantMetadata(7)|5)
	s.PacketIn(&openflow.PacketIn{Reason: openflow.ReasonAction, Table: plan.TableTenantFirst + 1, InPort: 2, Match: in,
		Cookie: rule.Cookie(plan.DomainDefault), Buffer: openflow.NoBuffer, TotalLen: 60, Data: frame})
	const want = "reason=action table=1 cookie=0x0000000000000077 match={in_port=2,metadata=0x5} data=0x0200"
	if _, text := c.next(); !strings.Contains(text, want) {
		t.Errorf("the controller hears %s, want %s", text, want)
	}

	xid := uint32(100)
	out := func(frame []byte, port uint32) string {
		xid += 2
		got := c.ask(xid, &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
			Data: frame, Actions: []openflow.Action{openflow.Output(port)}})
		return strings.Join(got, " ")
	}
	foreign := bytes.Clone(frame)
	foreign[11] = 3
	lldp := append([]byte{0x01, 0x80, 0xc2, 0, 0, 0x0e, 9, 9, 9, 9, 9, 9, 0x88, 0xcc}, make([]byte, 46)...)
	for _, x := range []struct {
		frame []byte
		port  uint32
		want  string // "" or the error
	}{
		{frame, 1, ""}, {frame, openflow.PortFlood, ""}, {lldp, 2, ""},
		{foreign, 1, "OFPBRC_EPERM"}, {foreign, openflow.PortFlood, "OFPBRC_EPERM"}, {frame, 9, "OFPBAC_BAD_OUT_PORT"},
		{frame, openflow.PortNormal, "OFPBAC_BAD_OUT_PORT"}, {frame, openflow.PortLocal, "OFPBAC_BAD_OUT_PORT"},
	} {
		if got := out(x.frame, x.port); (x.want == "") != (got == "") || !strings.Contains(got, x.want) {
			t.Errorf("%x out of port %d: %q, want %q", x.frame[:14], x.port, got, x.want)
		}
	}
	for _, want := range []string{"1 02000000000188b5", "1 02000000000188b5", "2 02000000000188b5", "2 09090909090988cc"} {
		if got := <-sent; got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
	if len(sent) > 0 {
		t.Errorf("sent besides: %s", <-sent)
	}
}

// TestMisses: while a controller of OpenFlow 1.0 is there, the physical switch shows what no entry matches, and only that
// controller is told of it.
func TestMisses(t *testing.T) {
	s, orders := virtual(t, func(uint32, []byte) {})
	ln := listen(t)
	c13 := connect(t, s, ln)
	c13.barrier(1) // it is connected, and nothing was ordered for it
	if len(orders) > 0 {
		t.Errorf("a controller of OpenFlow 1.3 has %v ordered", <-orders)
	}
	c10 := connectAs(t, s, ln, openflow.V10)
	shown := (<-orders)[0].Rules
	if place := shown.Place(0); place.Priority != 0 || place.Table != plan.TableTenantFirst {
		t.Errorf("misses are shown by %+v", place)
	}
	s.Outcomes([]ruleset.Outcome{{Rules: shown, Result: ruleset.Installed}})
	var in openflow.Match
	in.SetUint(openflow.FieldInPort, 2)
	s.PacketIn(&openflow.PacketIn{Reason: openflow.ReasonAction, Table: plan.TableTenantFirst, InPort: 2, Match: in,
		Cookie: shown.Cookie(plan.DomainDefault), Buffer: openflow.NoBuffer, TotalLen: 60, Data: make([]byte, 60)})
	if _, text := c10.next(); !strings.HasPrefix(text, "1.0 packet_in") || !strings.Contains(text, "reason=no_match") {
		t.Errorf("the controller of OpenFlow 1.0 hears %s", text)
	}
	if got := c13.barrier(2); len(got) > 0 {
		t.Errorf("the controller of OpenFlow 1.3 hears %q", got)
	}
	if err := c10.conn.Close(); err != nil {
		t.Fatal(err)
	}
	if x := (<-orders)[0]; !x.Remove || x.Rules != shown {
		t.Errorf("when it has gone, %+v is ordered", x)
	}
}
