package node_test

import (
	"testing"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/connect"
)

// pipeline is a flow-mod of an entry of a table.
func pipeline(table uint8, m openflow.Match, do ...openflow.Instruction) *openflow.FlowMod {
	return &openflow.FlowMod{Table: table, Priority: 5, Match: m, Instructions: do, Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Flags: openflow.FlagSendFlowRemoved}
}

// TestReactiveTenants: over a switch of OpenFlow 1.0, which has one table, a tenant that may be reactive has several. Its
// packets go where the tables say, each once, most of them without Weir; what is changed is in force when its barrier is
// answered; what entries have counted is exact.
func TestReactiveTenants(t *testing.T) {
	c := coupleOf(t, openflow.V10, openflow.V13, func(d *tenant.Definition) { d.Reactive = true })
	red := c.controllers[0]
	micro := func() connect.Micro {
		list, _ := c.tenants.State("red")
		return list[0].Micro
	}
	send := func(from, to int, count, arrive uint64) {
		t.Helper()
		c.send(from, to, host.FlowSpec{Rate: 1000, Size: 100, Count: count},
			func(r host.FlowReport, received uint64) bool { return r.Sent == count && received == arrive })
	}
	send(0, 1, 10, 10)
	if m := micro(); m != (connect.Micro{}) {
		t.Errorf("entries that fit into the table are served by %+v", m)
	}
	red.ask(pipeline(0, ipv4(t), openflow.Instruction{Type: openflow.InstructionWriteMetadata, Metadata: 7, MetadataMask: 0xf},
		openflow.GotoTable(1)))
	var tagged openflow.Match
	tagged.SetUintMasked(openflow.FieldMetadata, 5, 5)
	red.ask(pipeline(1, tagged, openflow.GotoTable(2)))
	last := ipv4(t)
	last.Set(openflow.FieldEthDst, c.net.Hosts()[1].Spec().MAC[:], nil)
	at := c.net.Hosts()[1].Spec().At.Port
	red.ask(pipeline(2, last, openflow.Apply(openflow.Output(at))))
	if m := micro(); !m.Reactive || m.Handled != 0 {
		t.Errorf("with three tables, the tenant is served by %+v", m)
	}

	send(0, 1, 200, 200)
	if m := micro(); m.Flows == 0 || m.Handled > 150 {
		t.Errorf("200 packets later, the tenant is served by %+v", m)
	}
	counted := func() (packets [3]uint64) {
		filter := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
		for _, e := range red.stats(&openflow.FlowRequest{FlowFilter: filter}).(*openflow.FlowStatsList).Flows {
			if e.Priority == 5 {
				packets[e.Table] = e.Packets
			}
		}
		return packets
	}
	var got [3]uint64
	// Table 0 has the entry that was there, which has counted 10 (OpenFlow 1.3).
	c.weir.await("what the entries have counted", func() bool {
		got = counted()
		return got == [3]uint64{210, 200, 200}
	})

	stop := pipeline(2, last) // drops
	stop.Command = openflow.FlowModifyStrict
	red.ask(stop)
	send(0, 1, 50, 0)
	c.weir.await("what the entries have counted then", func() bool {
		got = counted()
		return got == [3]uint64{260, 250, 250}
	})
	again := pipeline(2, last, openflow.Apply(openflow.Output(at)))
	again.Command = openflow.FlowModifyStrict
	red.ask(again)
	send(0, 1, 30, 30)
	red.send(&openflow.FlowMod{Command: openflow.FlowDelete, Table: 2, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny})
	for {
		if m, ok := red.next().(*openflow.FlowRemoved); ok && m.Table == 2 {
			if m.Packets != 280 || m.Bytes != 280*142 {
				t.Errorf("the flow-removed has %d packets and %d bytes, want 280 and %d", m.Packets, m.Bytes, 280*142)
			}
			break
		}
	}
	red.ask(&openflow.FlowMod{Command: openflow.FlowDelete, Table: openflow.TableAll, Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny})
	if m := micro(); m.Reactive || m.Flows != 0 {
		t.Errorf("with empty tables, the tenant is served by %+v", m)
	}
	red.ask(floods(1, openflow.Match{}))
	before := micro().Handled
	send(1, 0, 20, 20)
	if m := micro(); m.Handled != before {
		t.Errorf("an entry that fits into the table is served by %+v", m)
	}
}
