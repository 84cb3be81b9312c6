package connect

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// TestInbox: while a switch is busy, who brings packet-ins and outcomes does not wait; both are there when it is done, in their
// order, and what has no room is counted.
func TestInbox(t *testing.T) {
	s, orders := virtual(t, func(uint32, []byte) {})
	c := connect(t, s, listen(t))
	m := &openflow.FlowMod{Priority: 1, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(openflow.PortController))}}
	both, err := openflow.Append(nil, c.v, 1, m)
	if err == nil {
		both, err = openflow.Append(both, c.v, 2, &openflow.BarrierRequest{})
	}
	if err != nil {
		t.Fatal(err)
	}
	c.write(both) // so that it has read the barrier when it gives the order
	ordered := <-orders
	c.send(&openflow.EchoRequest{}, 9)
	if h, _ := c.next(); h.Type != openflow.TypeEchoReply { // it has read the barrier
		t.Fatalf("a %s comes before the outcome", h.Type)
	}
	_, row := plan.TenantRow(ordered[0].Rules.Number)
	pin := &openflow.PacketIn{Buffer: openflow.NoBuffer, InPort: 1, Data: make([]byte, 60000),
		Cookie: plan.Cookie{Kind: plan.KindTenant, Domain: 1, Owner: plan.TenantOwner(7, row)}.Encode()}
	pin.Match.SetUint(openflow.FieldInPort, 1)

	s.mu.Lock() // as while it handles a message
	s.Outcomes(outcomes(ordered, ruleset.Installed))
	const sent = inboxMax/60000 + 3
	for i := range sent {
		pin.Data[59999] = byte(i)
		s.PacketIn(pin)
	}
	if s.unlock() {
		t.Error("there is something to order")
	}
	for i := -1; i < inboxMax/60000; i++ {
		h, text := c.next()
		switch {
		case i < 0 && (h.Type != openflow.TypeBarrierReply || h.XID != 2):
			t.Fatalf("the outcome came first, and %.60s is told first", text)
		case i >= 0 && h.Type != openflow.TypePacketIn:
			t.Fatalf("packet-in %d: %.60s", i, text)
		}
	}
	if lost := s.Losses().PacketIns; lost != 3 {
		t.Errorf("%d packet-ins are counted as lost, want 3", lost)
	}
	pin.Data = make([]byte, 60)
	s.PacketIn(pin)
	if got := strings.Join(c.barrier(3), "; "); !strings.Contains(got, "packet_in") {
		t.Errorf("afterwards a packet-in is shown as %q", got)
	}
}
