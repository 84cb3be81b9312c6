package topology

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
)

// TestFilter: paths around switches and links are those of a network without them, for every hash; and
// a filter in the way of nothing changes nothing.
func TestFilter(t *testing.T) {
	whole := torus(4)
	m := Build(whole.view.Snapshot())
	for _, without := range []Filter{
		{Switches: []netview.DPID{6}},
		{Switches: []netview.DPID{1, 2, 3, 4, 77}, Links: []netview.LinkKey{key(99, 1, 98, 1)}},
		{Links: []netview.LinkKey{key(1, 1, 5, 2), key(10, 4, 9, 3)}},
		{Switches: []netview.DPID{6, 11}, Links: []netview.LinkKey{key(1, 1, 5, 2)}},
	} {
		left := torus(4)
		for l := range left.view.Snapshot().Links() {
			if without.Has(l.LinkKey) {
				left.put(l.LinkKey, false, netview.LinkConfirmed)
			}
		}
		want := Build(left.view.Snapshot())
		other := 0
		for from := netview.DPID(1); from <= 16; from++ {
			for to := netview.DPID(1); to <= 16; to++ {
				if from == to || slices.Contains(without.Switches, from) || slices.Contains(without.Switches, to) {
					continue
				}
				other += compareFiltered(t, m, want, without, from, to)
			}
		}
		if other == 0 {
			t.Errorf("without %v: no path goes elsewhere", without)
		}
	}
}

// compareFiltered counts the paths between two switches that go elsewhere because of a filter.
func compareFiltered(t *testing.T, m, want *Map, without Filter, from, to netview.DPID) (elsewhere int) {
	t.Helper()
	a, b := netview.Point{DPID: from, Port: 9}, netview.Point{DPID: to, Port: 9}
	cost, ok := m.CostAround(from, to, without)
	if least, found := want.Cost(from, to); cost != least || ok != found {
		t.Fatalf("from %d to %d without %v: %+v %t, want %+v %t", from, to, without, cost, ok, least, found)
	}
	for hash := range uint64(20) {
		got, ok := m.PathAround(a, b, hash, without, nil)
		hops, found := want.PathBetween(a, b, hash, nil)
		if ok != found || !slices.Equal(got, hops) {
			t.Fatalf("from %d to %d without %v: %v %t, want %v %t", from, to, without, got, ok, hops, found)
		}
		plain, _ := m.PathBetween(a, b, hash, nil)
		meets := slices.ContainsFunc(plain, func(h Hop) bool { return slices.Contains(without.Switches, h.DPID) })
		for i := 0; i+1 < len(plain); i++ {
			meets = meets || without.Has(linkBetween(plain[i], plain[i+1]))
		}
		if !slices.Equal(plain, got) {
			elsewhere++
			if !meets {
				t.Fatalf("from %d to %d without %v: %v, though %v does not meet it", from, to, without, got, plain)
			}
		}
	}
	return elsewhere
}

func TestAllocationBudgetOfFilters(t *testing.T) {
	need.NoRace(t)
	m := Build(torus(8).view.Snapshot())
	buf := make([]Hop, 0, 64)
	from, to := netview.Point{DPID: 1, Port: 9}, netview.Point{DPID: 37, Port: 9}
	path, _ := m.PathBetween(from, to, 7, nil)
	refused := []netview.DPID{path[2].DPID}
	around := func() { m.PathAround(from, to, 7, Filter{Switches: refused}, buf) }
	around()
	if n := testing.AllocsPerRun(1000, around); n != 0 {
		t.Errorf("%v allocations a path around a switch", n)
	}
}

func TestFiltersTogether(t *testing.T) {
	a := Filter{Switches: []netview.DPID{1}}
	b := Filter{Switches: []netview.DPID{2}, Links: []netview.LinkKey{key(3, 1, 4, 1)}}
	both := a.And(b)
	for k, want := range map[netview.LinkKey]bool{
		key(1, 1, 5, 1): true, key(5, 1, 1, 1): true, key(2, 1, 5, 1): true, key(3, 1, 4, 1): true, key(4, 1, 3, 1): true,
		key(3, 2, 4, 1): false, key(5, 1, 6, 1): false,
	} {
		if both.Has(k) != want {
			t.Errorf("%v has %s: %t", both, k, !want)
		}
	}
	if !(Filter{}).And(Filter{}).Empty() || b.And(Filter{}).Has(key(1, 1, 5, 1)) || len(a.Switches) != 1 {
		t.Error("a filter with nothing")
	}
}

// BenchmarkPathAround looks up a path that leaves out a switch that refused a rule, filter included.
func BenchmarkPathAround(b *testing.B) {
	m := Build(torus(14).view.Snapshot())
	buf := make([]Hop, 0, 64)
	refused := []netview.DPID{netview.DPID(100)}
	b.ReportAllocs()
	for i := range b.N {
		to := netview.Point{DPID: netview.DPID(2 + i%90), Port: 9}
		m.PathAround(netview.Point{DPID: 1, Port: 9}, to, uint64(i), Filter{Switches: refused}, buf)
	}
}
