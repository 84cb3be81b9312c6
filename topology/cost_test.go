package topology

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
	"pgregory.net/rapid"
)

// TestWeights: what a weight is made of can be read back from it, with any number of switches, and a
// path of all of them has a sum.
func TestWeights(t *testing.T) {
	for _, nodes := range []int{0, 1, 2, 3, 206, 10_000, 16_000} {
		w := weightsOf(nodes)
		for _, c := range []Cost{{Metric: 1}, {Metric: netview.CostMax}, {Draining: 1, Metric: netview.CostMax},
			{Unconfirmed: 1, Metric: 1}, {1, 1, netview.CostMax}} {
			weight := w.of(c)
			if got := w.cost(weight); got != c {
				t.Errorf("%d switches: weight %d is %+v, want %+v", nodes, weight, got, c)
			}
			if weight == 0 || weight > route.MaxCost(nodes) {
				t.Errorf("%d switches: %+v weighs %d, want 1 to %d", nodes, c, weight, route.MaxCost(nodes))
			}
		}
	}
}

// TestLeastCost compares paths with all that there are, in small networks with any metrics, of which
// links are unconfirmed, and one drains: no metric outweighs these.
func TestLeastCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const switches = 6
		n := newNet(switches)
		settings := &netview.Settings{Links: make(map[netview.LinkKey]netview.LinkSettings)}
		drained := rapid.IntRange(0, 12).Draw(t, "drained")
		for i := range rapid.IntRange(1, 12).Draw(t, "links") {
			a := netview.DPID(rapid.IntRange(1, switches).Draw(t, "a"))
			b := netview.DPID(rapid.IntRange(1, switches).Draw(t, "b"))
			k := key(a, uint32(i+1), b, uint32(i+1))
			state := netview.LinkConfirmed
			if rapid.IntRange(0, 3).Draw(t, "state") == 0 {
				state = netview.LinkUnconfirmed
			}
			set := netview.LinkSettings{Cost: rapid.SampledFrom([]uint64{1, 2, 40_000, netview.CostMax}).Draw(t, "cost"),
				Drained: i == drained}
			settings.Links[k], settings.Links[k.Reverse()] = set, set
			if a != b {
				n.cable(a, uint32(i+1), b, uint32(i+1), true, state)
			}
		}
		n.view.Inputs().Set(settings)
		snap := n.view.Snapshot()
		m := Build(snap)
		for from := netview.DPID(1); from <= switches; from++ {
			best := cheapest(snap, from)
			for to := netview.DPID(1); to <= switches; to++ {
				want, ok := best[to]
				if got, found := m.Cost(from, to); found != ok || got != want {
					t.Fatalf("from %d to %d: %+v %t, want %+v %t", from, to, got, found, want, ok)
				}
			}
		}
	})
}

// cheapest returns the least costs of all paths from a switch, by following each that meets no switch
// twice.
func cheapest(snap *netview.Snapshot, from netview.DPID) map[netview.DPID]Cost {
	best := make(map[netview.DPID]Cost)
	on := make(map[netview.DPID]bool)
	var follow func(at netview.DPID, sum Cost)
	follow = func(at netview.DPID, sum Cost) {
		if was, known := best[at]; !known || sum.Less(was) {
			best[at] = sum
		}
		on[at] = true
		for l := range snap.Links() {
			if c, _, up := costsOf(linkPair(snap, l.LinkKey)); up && l.Src.DPID == at && !on[l.Dst.DPID] {
				follow(l.Dst.DPID, sum.Plus(c))
			}
		}
		on[at] = false
	}
	follow(from, Cost{})
	return best
}

// TestOrderOfCosts: each component counts before those after it.
func TestOrderOfCosts(t *testing.T) {
	order := []Cost{{}, {Metric: 1}, {Metric: 1 << 40}, {Draining: 1}, {Draining: 1, Metric: 1}, {Draining: 9},
		{Unconfirmed: 1}, {Unconfirmed: 1, Draining: 1}, {Unconfirmed: 2}}
	for i, a := range order {
		for k, b := range order {
			if a.Less(b) != (i < k) {
				t.Errorf("%+v less than %+v: %t", a, b, a.Less(b))
			}
		}
	}
}

// TestLinkHash pins the keys of the choice among equal costs: with others, an instance of a new version
// would choose other paths than the one before it, and than others beside it.
func TestLinkHash(t *testing.T) {
	for k, want := range map[netview.LinkKey]uint64{
		key(1, 1, 2, 1):                        0xb4c8f8c33eb07656,
		key(2, 1, 1, 1):                        0x7b659cf7bc8c3923,
		key(0x010203040506, 4294967295, 7, 48): 0x5920b208db133338,
	} {
		if got := linkHash(k); got != want {
			t.Errorf("%s: %#x, want %#x", k, got, want)
		}
	}
}

// TestPathsDependOnTheViewAlone: a map with a history, in which switches and links came in another
// order, and some have gone, has the paths of one that is built of the same view.
func TestPathsDependOnTheViewAlone(t *testing.T) {
	n := newNet(0)
	rev := n.view.Snapshot().Revision()
	m := Build(n.view.Snapshot())
	step := func() { m = n.follow(m, &rev) }
	for _, dpid := range []netview.DPID{9, 2, 7, 1, 5, 4, 8, 3, 6} {
		n.addSwitch(dpid)
		step()
	}
	for i, mid := range []netview.DPID{7, 3, 8, 4, 6, 5} { // between 1, 2 and 9, by each of the others
		for p, end := range []netview.DPID{9, 1, 2} {
			n.cable(mid, uint32(p+1), end, uint32(i+1), true, netview.LinkConfirmed)
			step()
		}
	}
	n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(7) })
	step()
	n.addSwitch(0)
	n.cable(0, 1, 1, 16, true, netview.LinkConfirmed)
	step()
	built := Build(n.view.Snapshot())
	used := make(map[netview.DPID]bool)
	for hash := range uint64(200) {
		for _, ends := range [][2]netview.DPID{{1, 2}, {2, 1}, {9, 1}, {0, 9}, {9, 2}} {
			from, to := netview.Point{DPID: ends[0], Port: 15}, netview.Point{DPID: ends[1], Port: 15}
			got, _ := m.PathBetween(from, to, hash, nil)
			want, ok := built.PathBetween(from, to, hash, nil)
			if !ok || !slices.Equal(got, want) {
				t.Fatalf("hash %d: %v, in a map of the same view without a history %v", hash, got, want)
			}
			used[got[len(got)-2].DPID] = true
		}
	}
	if len(used) != 5 {
		t.Errorf("by %d switches, want 5: %v", len(used), used)
	}
}
