package tenancy

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// BenchmarkOneMore makes one more tenant, and takes it away again, where there are as many, each with a region and all ports of
// one switch with 48. It tells the memory of a tenant.
func BenchmarkOneMore(b *testing.B) {
	for _, tenants := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("tenants=%d", tenants), func(b *testing.B) { oneMore(b, tenants) })
	}
}

func oneMore(b *testing.B, tenants int) {
	memory := heap()
	view := netview.New(netview.Limits{})
	orders := 0
	s := New(Config{View: view, Domain: 1, Own: func([]byte) bool { return false }, DropHost: func(netview.HostID) {},
		Orders: func(list []ruleset.Order) { orders += len(list) }})
	view.Facts().Update(func(tx *netview.FactsTx) {
		sw := &netview.Switch{DPID: 1, Version: openflow.V13, Tables: 254}
		for port := range uint32(48) {
			sw.Ports = append(sw.Ports, netview.Port{Number: 1 + port, Up: true, Role: netview.PortEdge})
		}
		tx.PutSwitch(sw)
	})
	all := tenant.New()
	put := func(all *tenant.Tenants, i int) {
		var m openflow.Match
		m.SetUint(openflow.FieldVLANVID, uint64(0x1000|i))
		if err := all.Put(tenant.Definition{Name: fmt.Sprint("t", i), Number: uint16(1 + i), Ports: []netview.Point{{DPID: 1}},
			Space: []tenant.Region{{Priority: 1, Match: m}}}); err != nil {
			b.Fatal(err)
		}
	}
	for i := range tenants {
		put(all, i)
	}
	s.Set(all)
	s.Begin()
	memory = heap() - memory
	orders = 0
	for b.Loop() {
		more := all.Clone()
		put(more, tenants)
		s.Set(more)
		s.Begin()
		s.Set(all)
		s.Begin()
	}
	b.ReportMetric(float64(orders)/float64(b.N), "orders")
	b.ReportMetric(float64(memory)/float64(tenants), "B/tenant")
	runtime.KeepAlive(s)
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
