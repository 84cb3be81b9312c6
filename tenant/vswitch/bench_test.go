package vswitch

import (
	"testing"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// done has each order be installed at once.
type done struct {
	flowtable.Output
	list []ruleset.Outcome
}

func (d *done) Order(o ruleset.Order) {
	x := ruleset.Outcome{Rules: o.Rules, Result: ruleset.Installed}
	if o.Remove {
		x.Result = ruleset.Removed
	}
	d.list = append(d.list, x)
}

func (*done) Refused(Origin, *flowtable.Error)              {}
func (*done) Confirmed(Origin)                              {}
func (*done) PortStatus(openflow.PortReason, openflow.Port) {}

// BenchmarkFlowMod adds entries in turn, each time with another output, with their outcomes: at a switch of OpenFlow 1.3 with
// tables.
func BenchmarkFlowMod(b *testing.B) {
	tenants := tenant.New()
	if err := tenants.Put(tenant.Definition{Name: "red", Number: 7, Ports: []netview.Point{{DPID: 1}}}); err != nil {
		b.Fatal(err)
	}
	s := New(recordedConfig(Config{Tenant: 7, DPID: 1, Tables: 3, Space: tenants.Space("red"), Rows: &Rows{}}))
	out := new(done)
	for port := range uint32(4) {
		s.SetPort(openflow.Port{Number: 1 + port}, 0, out)
	}
	m := &openflow.FlowMod{Priority: 5, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	m.Match.SetUint(openflow.FieldEthDst, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Match.SetUint(openflow.FieldEthDst, uint64(i%256))
		m.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(uint32(1 + i/256%4)))}
		if err := s.FlowMod(openflow.V13, m, Origin{}, 0, out); err != nil {
			b.Fatal(err)
		}
		for k := range out.list {
			s.Outcome(&out.list[k], 0, out)
		}
		out.list = out.list[:0]
	}
}
