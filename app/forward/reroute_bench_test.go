package forward

import (
	"runtime"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/topology"
)

// mesh is a torus of side×side switches with sinks behind them, and hosts at ports 5 and up of each.
type mesh struct {
	view  *netview.View
	facts *netview.Facts
	f     *Forward
	ds    []*Datapath
	sinks []*sink
	topo  *topology.Map
	rev   netview.Revision
	pin   openflow.PacketIn
}

const meshSide, meshHosts = 14, 12

// newMesh makes it, with so many pairs, each between two hosts of which no other pair has both.
func newMesh(b *testing.B, pairs int) *mesh {
	m := &mesh{view: netview.New(netview.Limits{}), f: New(Config{Domain: 1, MaxPairsPort: 1 << 20})}
	m.facts = m.view.Facts()
	const n = meshSide * meshSide
	id := func(x, y int) netview.DPID {
		return netview.DPID(1 + (x+meshSide)%meshSide*meshSide + (y+meshSide)%meshSide)
	}
	m.facts.Update(func(tx *netview.FactsTx) {
		for i := range n {
			sw := &netview.Switch{DPID: netview.DPID(i + 1), Version: openflow.V13, Tables: 254, Connected: true}
			for port := range uint32(5 + meshHosts) {
				role := netview.PortEdge
				if port < 5 {
					role = netview.PortLink
				}
				sw.Ports = append(sw.Ports, netview.Port{Number: port, Up: true, Role: role})
			}
			tx.PutSwitch(sw)
			m.sinks = append(m.sinks, &sink{v: openflow.V13})
			m.ds = append(m.ds, m.f.Attach(sw.DPID, nextEpoch(), openflow.V13, 254, m.sinks[i]))
			for h := range meshHosts {
				tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: packet.MACFromUint64(host(i, h))},
					At: netview.Point{DPID: sw.DPID, Port: uint32(5 + h)}})
			}
		}
		for x := range meshSide {
			for y := range meshSide {
				m.cable(tx, link(id(x, y), 1, id(x+1, y), 2), true)
				m.cable(tx, link(id(x, y), 3, id(x, y+1), 4), true)
			}
		}
	})
	snap := m.view.Snapshot()
	m.topo, m.rev = topology.Build(snap), snap.Revision()
	m.f.Reset(snap, m.topo)
	m.pin = openflow.PacketIn{Buffer: openflow.NoBuffer, TotalLen: 60, Data: make([]byte, 60)}
	for k := range pairs {
		from, round := k%n, k/n
		to := (from + 1 + round/(meshHosts*meshHosts)) % n
		a, c := round%meshHosts, round/meshHosts%meshHosts
		m.pin.InPort = uint32(5 + a)
		m.ds[from].PacketIn(&m.pin, Frame{Src: host(from, a), Dst: host(to*37%n, c)})
		if k%n == n-1 {
			m.settle()
		}
	}
	m.settle()
	for range 5 {
		m.f.Second()
	}
	return m
}

func host(sw, h int) uint64 { return uint64(0x0200_0000_0000 | sw<<8 | h) }

func link(a netview.DPID, p uint32, b netview.DPID, q uint32) netview.LinkKey {
	return netview.LinkKey{Src: netview.Point{DPID: a, Port: p}, Dst: netview.Point{DPID: b, Port: q}}
}

func (m *mesh) cable(tx *netview.FactsTx, key netview.LinkKey, up bool) {
	for _, k := range []netview.LinkKey{key, key.Reverse()} {
		tx.PutLink(&netview.Link{LinkKey: k, Up: up, State: netview.LinkConfirmed})
	}
}

// settle has all that was written confirmed.
func (m *mesh) settle() {
	for again := true; again; {
		again = false
		for i, d := range m.ds {
			d.BatchEnd()
			again = again || len(m.sinks[i].waits) > 0
			m.sinks[i].confirm()
		}
	}
}

// change changes the view and has the application take it; it returns how long that took.
func (m *mesh) change(do func(*netview.FactsTx)) time.Duration {
	m.facts.Update(do)
	changes, upto, _ := m.view.Changes(m.rev, 1<<20)
	snap := m.view.Snapshot()
	m.topo, m.rev = m.topo.Next(snap, changes), upto
	began := time.Now()
	m.f.Step(changes, snap, m.topo, true)
	return time.Since(began)
}

const meshPairs = 200_000

// BenchmarkMeshPair is a pair over a mesh, from its packet-in to its rules, and what it takes of memory.
func BenchmarkMeshPair(b *testing.B) {
	used := uint64(0)
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		m := newMesh(b, meshPairs)
		runtime.GC()
		runtime.ReadMemStats(&after)
		used = after.HeapAlloc - before.HeapAlloc
		runtime.KeepAlive(m)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/meshPairs, "ns/pair")
	b.ReportMetric(float64(used)/meshPairs, "bytes/pair")
}

// BenchmarkLinkDown is a link that fails under pairs of many: until all flow-mods of their next paths are out.
func BenchmarkLinkDown(b *testing.B) {
	took, moved := time.Duration(0), 0
	for range b.N {
		b.StopTimer()
		m := newMesh(b, meshPairs)
		before := m.f.Counts().Moved.Load()
		b.StartTimer()
		took += m.change(func(tx *netview.FactsTx) { m.cable(tx, link(1, 1, 15, 2), false) })
		b.StopTimer()
		m.settle()
		moved += int(m.f.Counts().Moved.Load() - before)
	}
	b.ReportMetric(float64(took.Microseconds())/float64(b.N), "step-µs")
	b.ReportMetric(float64(moved)/float64(b.N), "pairs-moved")
}

// BenchmarkHostMoves is a host that moves, of pairs of many.
func BenchmarkHostMoves(b *testing.B) {
	m := newMesh(b, meshPairs)
	took := time.Duration(0)
	for i := range b.N {
		took += m.change(func(tx *netview.FactsTx) {
			tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: packet.MACFromUint64(host(0, 0))},
				At: netview.Point{DPID: netview.DPID(1 + i%2), Port: 5}})
		})
		m.settle()
	}
	b.ReportMetric(float64(took.Microseconds())/float64(b.N), "step-µs")
}

// BenchmarkDrainedSecond is a second while a switch is drained: pairs that pass it have left, those of its hosts stay.
func BenchmarkDrainedSecond(b *testing.B) {
	m := newMesh(b, meshPairs)
	m.view.Inputs().Set(&netview.Settings{Switches: map[netview.DPID]netview.SwitchSettings{1: {Drained: true}}})
	m.change(func(*netview.FactsTx) {})
	for range 60 {
		m.settle()
		m.f.Second()
	}
	if m.f.Counts().Moved.Load() == 0 {
		b.Fatal("no pair has left")
	}
	for b.Loop() {
		m.f.Second()
	}
}
