package vswitch

import (
	"fmt"
	"runtime"
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

// BenchmarkFlowMod adds entries in turn, each time with another output, with their outcomes, to a switch that has as many: with
// tables, with one table, and with one table and a space of ten regions. It tells the memory of an entry too, its rules in the
// physical switch's queue not counted.
func BenchmarkFlowMod(b *testing.B) {
	for _, entries := range []int{256, 10_000, 100_000} {
		b.Run(fmt.Sprintf("tables/entries=%d", entries), func(b *testing.B) { flowMods(b, Config{Tables: 3}, entries, 0) })
	}
	for _, entries := range []int{256, 10_000} {
		b.Run(fmt.Sprintf("single/entries=%d", entries), func(b *testing.B) { flowMods(b, Config{Single: true}, entries, 0) })
	}
	b.Run("single/regions=10/entries=1000", func(b *testing.B) { flowMods(b, Config{Single: true}, 1000, 10) })
}

func flowMods(b *testing.B, cfg Config, entries, regions int) {
	tenants := tenant.New()
	d := tenant.Definition{Name: "red", Number: 7, Ports: []netview.Point{{DPID: 1}}}
	for i := range regions {
		var m openflow.Match
		m.SetUint(openflow.FieldVLANVID, uint64(0x1000|i))
		d.Space = append(d.Space, tenant.Region{Priority: uint16(1 + i), Match: m})
	}
	if err := tenants.Put(d); err != nil {
		b.Fatal(err)
	}
	cfg.Tenant, cfg.DPID, cfg.Space, cfg.Rows = 7, 1, tenants.Space("red"), &Rows{}
	memory := heap()
	s, out := New(recordedConfig(cfg)), new(done)
	for port := range uint32(4) {
		s.SetPort(openflow.Port{Number: 1 + port}, 0, out)
	}
	m := &openflow.FlowMod{Priority: 5, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	add := func(i int) {
		m.Match.SetUint(openflow.FieldEthDst, uint64(i%entries))
		m.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(uint32(1 + i/entries%4)))}
		if err := s.FlowMod(openflow.V13, m, Origin{}, 0, out); err != nil {
			b.Fatal(err)
		}
		for k := range out.list {
			s.Outcome(&out.list[k], 0, out)
		}
		clear(out.list)
		out.list = out.list[:0]
	}
	for i := range entries {
		add(i)
	}
	memory = heap() - memory
	b.ReportAllocs()
	for i := entries; b.Loop(); i++ {
		add(i)
	}
	b.ReportMetric(float64(memory)/float64(entries), "B/entry")
}

// heap is the memory that is in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkOwner finds whose a frame is, of tenants with a region each.
func BenchmarkOwner(b *testing.B) {
	for _, regions := range []int{10, 1000} {
		b.Run(fmt.Sprintf("regions=%d", regions), func(b *testing.B) {
			tenants := tenant.New()
			for i := range regions {
				var m openflow.Match
				m.SetUint(openflow.FieldVLANVID, uint64(0x1000|i))
				if err := tenants.Put(tenant.Definition{Name: fmt.Sprint("t", i), Number: uint16(1 + i),
					Ports: []netview.Point{{DPID: 1}}, Space: []tenant.Region{{Priority: 1, Match: m}}}); err != nil {
					b.Fatal(err)
				}
			}
			f, err := NewFrames(tenants)
			if err != nil {
				b.Fatal(err)
			}
			frame := make([]byte, 64)
			frame[12] = 0x81
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				n := i % regions
				frame[14], frame[15] = byte(n>>8), byte(n)
				if f.Owner(frame) != uint16(1+n) {
					b.Fatal("not its owner")
				}
			}
		})
	}
}
