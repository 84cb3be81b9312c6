package topology

import (
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
)

// torus is a network of side×side switches, each joined to four others.
func torus(side int) *net {
	n := newNet(side * side)
	at := func(x, y int) netview.DPID { return netview.DPID(1 + (x+side)%side*side + (y+side)%side) }
	for x := range side {
		for y := range side {
			n.cable(at(x, y), 1, at(x+1, y), 2, true, netview.LinkConfirmed)
			n.cable(at(x, y), 3, at(x, y+1), 4, true, netview.LinkConfirmed)
		}
	}
	return n
}

func TestAllocationBudgetOfPaths(t *testing.T) {
	need.NoRace(t)
	m := Build(torus(8).view.Snapshot())
	buf := make([]Hop, 0, 64)
	from, to := netview.Point{DPID: 1, Port: 9}, netview.Point{DPID: 37, Port: 9}
	m.PathBetween(from, to, 0, buf)
	if n := testing.AllocsPerRun(1000, func() { m.PathBetween(from, to, 7, buf) }); n != 0 {
		t.Errorf("%v allocations a path", n)
	}
}

func BenchmarkPathBetween(b *testing.B) {
	m := Build(torus(14).view.Snapshot())
	buf := make([]Hop, 0, 64)
	b.ReportAllocs()
	for i := range b.N {
		m.PathBetween(netview.Point{DPID: 1, Port: 9}, netview.Point{DPID: netview.DPID(2 + i%190), Port: 9}, uint64(i), buf)
	}
}

func benchmarkSizes(b *testing.B, f func(b *testing.B, n *net)) {
	b.Run("100", func(b *testing.B) { f(b, torus(10)) })
	b.Run("1024", func(b *testing.B) { f(b, torus(32)) })
}

func BenchmarkLinkDownAndUp(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, n *net) {
		m, rev := Build(n.view.Snapshot()), n.view.Snapshot().Revision()
		for b.Loop() {
			n.put(key(1, 3, 2, 4), false, netview.LinkConfirmed)
			m = n.follow(m, &rev)
			n.put(key(1, 3, 2, 4), true, netview.LinkConfirmed)
			m = n.follow(m, &rev)
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, n *net) {
		for b.Loop() {
			Build(n.view.Snapshot())
		}
	})
}

func BenchmarkForest(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, n *net) {
		f := NewForest()
		for b.Loop() {
			f.Update(n.view.Snapshot())
		}
	})
}
