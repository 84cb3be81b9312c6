package vswitch

import (
	"fmt"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/tenant"
)

// BenchmarkReactive handles frames, of which each makes a micro-flow that takes the place of another; and adds an entry that
// meets none of those that there are, with as many micro-flows as there may be. It tells the memory of one.
func BenchmarkReactive(b *testing.B) {
	tenants := tenant.New()
	if err := tenants.Put(tenant.Definition{Name: "red", Number: 7, Ports: []netview.Point{{DPID: 1}}}); err != nil {
		b.Fatal(err)
	}
	s, out := New(Config{Tenant: 7, DPID: 1, Space: tenants.Space("red"), Rows: &Rows{}, Single: true, Reactive: true,
		Tables: 3}),
		&done{Output: &sink{}}
	settle := func() {
		for len(out.list) > 0 {
			list := out.list
			out.list = nil
			for k := range list {
				s.Outcome(&list[k], 0, out)
			}
		}
	}
	for port := range uint32(4) {
		s.SetPort(openflow.Port{Number: 1 + port}, 0, out)
	}
	add := func(table uint8, source uint64, do ...openflow.Instruction) {
		var m openflow.Match
		m.SetUint(openflow.FieldEthSrc, source)
		if err := s.FlowMod(openflow.V13, &openflow.FlowMod{Table: table, Priority: 5, Match: m, Buffer: openflow.NoBuffer,
			OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Instructions: do}, Origin{}, 0, out); err != nil {
			b.Fatal(err)
		}
		settle()
	}
	frame := func(i int) []byte {
		return packet.AppendUDP(nil, &packet.Key{EthDst: packet.MAC{5: 1}, EthSrc: packet.MAC{3: 1, 4: byte(i >> 8), 5: byte(i)},
			EtherType: packet.TypeIPv4, TTL: 9}, nil)
	}
	const flows = MicroFlowsMax
	for i := range flows {
		add(0, uint64(1<<16|i), openflow.GotoTable(1))
		add(1, uint64(1<<16|i), openflow.Apply(openflow.Output(2)))
	}
	memory := heap()
	for i := range flows {
		Reactive{s}.Receive(1, frame(i), 0, out)
		settle()
	}
	memory = heap() - memory
	if n := (Reactive{s}).MicroFlows(); n != flows {
		b.Fatalf("%d micro-flows", n)
	}
	b.Run(fmt.Sprintf("add beside micro-flows=%d", flows), func(b *testing.B) {
		for i := range b.N {
			add(0, uint64(2<<16|i%256), openflow.GotoTable(1))
		}
	})
	b.Run("frame", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			for r := range s.micro.flows {
				microFlows{&s.physical}.remove(r)
				break
			}
			settle()
			Reactive{s}.Receive(1, frame(i%flows), 0, out)
			settle()
		}
		b.ReportMetric(float64(memory)/flows, "B/micro-flow")
	})
}
