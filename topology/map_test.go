package topology

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"pgregory.net/rapid"
)

var t0 = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// net is a view with switches that have ports 1 to 16, all up.
type net struct {
	view  *netview.View
	facts *netview.Facts
}

func newNet(switches int) *net {
	v := netview.New(netview.Limits{})
	n := &net{v, v.Facts()}
	for i := range switches {
		n.addSwitch(netview.DPID(i + 1))
	}
	return n
}

func (n *net) addSwitch(dpid netview.DPID) {
	s := &netview.Switch{DPID: dpid, State: netview.SwitchReady, Connected: true}
	for p := range uint32(16) {
		s.Ports = append(s.Ports, netview.Port{Number: p + 1, Up: true, Role: netview.PortLink})
	}
	n.facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(s) })
}

func key(a netview.DPID, ap uint32, b netview.DPID, bp uint32) netview.LinkKey {
	return netview.LinkKey{Src: netview.Point{DPID: a, Port: ap}, Dst: netview.Point{DPID: b, Port: bp}}
}

func (n *net) put(k netview.LinkKey, up bool, state netview.LinkState) {
	n.facts.Update(func(tx *netview.FactsTx) { tx.PutLink(&netview.Link{LinkKey: k, Up: up, State: state, Since: t0}) })
}

// cable puts both directions.
func (n *net) cable(a netview.DPID, ap uint32, b netview.DPID, bp uint32, up bool, state netview.LinkState) {
	n.put(key(a, ap, b, bp), up, state)
	n.put(key(b, bp, a, ap), up, state)
}

// follow brings a map to the view.
func (n *net) follow(m *Map, rev *netview.Revision) *Map {
	changes, upto, ok := n.view.Changes(*rev, 1<<20)
	if !ok {
		panic("the log is too short for this test")
	}
	*rev = upto
	return m.Next(n.view.Snapshot(), changes)
}

func TestPathBetween(t *testing.T) {
	n := newNet(4) // 1-2-4 and 1-3-4
	n.cable(1, 1, 2, 1, true, netview.LinkConfirmed)
	n.cable(2, 2, 4, 1, true, netview.LinkConfirmed)
	n.cable(1, 2, 3, 1, true, netview.LinkConfirmed)
	n.cable(3, 2, 4, 2, true, netview.LinkUnconfirmed)
	m := Build(n.view.Snapshot())
	from, to := netview.Point{DPID: 1, Port: 9}, netview.Point{DPID: 4, Port: 8}
	want := []Hop{{1, 9, 1}, {2, 1, 2}, {4, 1, 8}}
	for hash := range uint64(64) {
		if got, ok := m.PathBetween(from, to, hash, nil); !ok || !slices.Equal(got, want) {
			t.Fatalf("hash %d: %v, want %v: the other way is unconfirmed", hash, got, want)
		}
	}
	if got, ok := m.PathBetween(from, netview.Point{DPID: 1, Port: 8}, 0, nil); !ok || !slices.Equal(got, []Hop{{1, 9, 8}}) {
		t.Errorf("within a switch: %v", got)
	}
	rev := n.view.Snapshot().Revision()
	n.put(key(2, 2, 4, 1), false, netview.LinkConfirmed) // one direction is enough
	m = n.follow(m, &rev)
	if got, ok := m.PathBetween(from, to, 0, nil); !ok || got[1].DPID != 3 {
		t.Errorf("with a link down in one direction: %v", got)
	}
	if cost, ok := m.Cost(1, 4); !ok || cost != (Cost{Unconfirmed: 1, Metric: 2 * netview.CostDefault}) {
		t.Errorf("cost %+v", cost)
	}
	n.put(key(3, 2, 4, 2), false, netview.LinkConfirmed)
	m = n.follow(m, &rev)
	if got, ok := m.PathBetween(from, to, 0, nil); ok || len(got) != 0 {
		t.Errorf("a path where there is none: %v", got)
	}
	if _, ok := m.PathBetween(from, netview.Point{DPID: 77}, 0, nil); ok {
		t.Error("a path to nowhere")
	}
}

// Numbers stay when something is added, so that equal-cost choices do.
func TestChoicesStay(t *testing.T) {
	n := newNet(6)
	for mid := netview.DPID(3); mid <= 6; mid++ {
		n.cable(1, uint32(mid), mid, 1, true, netview.LinkConfirmed)
		n.cable(2, uint32(mid), mid, 2, true, netview.LinkConfirmed)
	}
	rev := n.view.Snapshot().Revision()
	m := Build(n.view.Snapshot())
	choice := func(m *Map, hash uint64) netview.DPID {
		hops, _ := m.PathBetween(netview.Point{DPID: 1, Port: 15}, netview.Point{DPID: 2, Port: 15}, hash, nil)
		return hops[1].DPID
	}
	var before []netview.DPID
	for hash := range uint64(100) {
		before = append(before, choice(m, hash))
	}
	n.addSwitch(0) // numbered first, were it by order of the view
	n.cable(0, 1, 6, 9, true, netview.LinkConfirmed)
	n.cable(0, 2, 1, 9, true, netview.LinkConfirmed)
	m = n.follow(m, &rev)
	for hash, want := range before {
		if got := choice(m, uint64(hash)); got != want {
			t.Fatalf("hash %d: by %d, before by %d", hash, got, want)
		}
	}
	if _, ok := m.Node(0); !ok {
		t.Fatal("the new switch is missing")
	}
}

// A map that follows changes is as one that is built anew; paths are shortest; a forest has no
// loop, joins what can be joined and keeps what it can.
func TestFollowsLikeBuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newNet(3)
		m, rev := Build(n.view.Snapshot()), n.view.Snapshot().Revision()
		forest := NewForest()
		states := []netview.LinkState{netview.LinkConfirmed, netview.LinkUnconfirmed}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			a, b := netview.DPID(rapid.IntRange(1, 8).Draw(t, "a")), netview.DPID(rapid.IntRange(1, 8).Draw(t, "b"))
			ap, bp := rapid.Uint32Range(1, 2).Draw(t, "ap"), rapid.Uint32Range(1, 2).Draw(t, "bp")
			k := key(a, ap, b, bp)
			switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
			case op == 0:
				n.addSwitch(a)
			case op == 1:
				n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteLink(k) })
			case op == 2:
				n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(a) })
			case op == 3:
				n.put(k, false, netview.LinkConfirmed)
			case op < 6:
				n.put(k, true, rapid.SampledFrom(states).Draw(t, "state"))
			default:
				n.cable(a, ap, b, bp, true, rapid.SampledFrom(states).Draw(t, "state"))
			}
			if rapid.Bool().Draw(t, "follow") {
				m = n.follow(m, &rev)
				compare(t, n.view.Snapshot(), m)
				checkForest(t, n.view.Snapshot(), forest)
			}
		}
	})
}

func compare(t *rapid.T, s *netview.Snapshot, m *Map) {
	built := Build(s)
	for a := range s.Switches() {
		for b := range s.Switches() {
			want, ok1 := built.Cost(a.DPID, b.DPID)
			got, ok2 := m.Cost(a.DPID, b.DPID)
			if ok1 != ok2 || want != got {
				t.Fatalf("cost from %d to %d: %+v %t, want %+v %t", a.DPID, b.DPID, got, ok2, want, ok1)
			}
			if a != b {
				comparePaths(t, s, m, a.DPID, b.DPID, got, ok2)
				from, to, hash := netview.Point{DPID: a.DPID}, netview.Point{DPID: b.DPID}, rapid.Uint64().Draw(t, "hash")
				hops, _ := m.PathBetween(from, to, hash, nil)
				if fresh, _ := built.PathBetween(from, to, hash, nil); !slices.Equal(hops, fresh) {
					t.Fatalf("path %v, without a history %v", hops, fresh)
				}
			}
		}
	}
}

// comparePaths follows a path over links of the snapshot, adds up its cost, and compares it with
// the way back.
func comparePaths(t *rapid.T, s *netview.Snapshot, m *Map, a, b netview.DPID, cost Cost, ok bool) {
	hops, found := m.PathBetween(netview.Point{DPID: a, Port: 99}, netview.Point{DPID: b, Port: 98}, 7, nil)
	back, _ := m.PathBetween(netview.Point{DPID: b, Port: 98}, netview.Point{DPID: a, Port: 99}, 7, nil)
	if found != ok || len(hops) != len(back) {
		t.Fatalf("path from %d to %d: %v, back %v", a, b, hops, back)
	}
	var sum Cost
	for i, h := range hops {
		if o := back[len(back)-1-i]; o != (Hop{h.DPID, h.Out, h.In}) {
			t.Fatalf("path %v, back %v", hops, back)
		}
		if i > 0 {
			cost, _, _ := costsOf(linkPair(s, key(hops[i-1].DPID, hops[i-1].Out, h.DPID, h.In)))
			sum = sum.Plus(cost)
		}
	}
	if found && sum != cost {
		t.Fatalf("path %v costs %+v, want %+v", hops, sum, cost)
	}
}

func usable(s *netview.Snapshot, k netview.LinkKey) bool {
	_, _, up := costsOf(linkPair(s, k))
	return up
}

func checkForest(t *rapid.T, s *netview.Snapshot, f *Forest) {
	before := f.in()
	f.Update(s)
	joined := make(disjoint)
	for k := range f.in() {
		if !usable(s, k) {
			t.Fatalf("%s is in the forest and cannot be used", k)
		}
		if !joined.join(k.Src.DPID, k.Dst.DPID) {
			t.Fatalf("%s closes a loop", k)
		}
		if _, ok := slices.BinarySearch(f.Ports(k.Dst.DPID), k.Dst.Port); !ok || !f.Has(k.Reverse()) {
			t.Fatalf("%s is not in the index", k)
		}
	}
	for l := range s.Links() {
		if usable(s, l.LinkKey) && joined.root(l.Src.DPID) != joined.root(l.Dst.DPID) {
			t.Fatalf("%s joins two parts that the forest leaves apart", l.LinkKey)
		}
	}
	for k := range before {
		if usable(s, k) && k.Src.DPID != k.Dst.DPID && !f.Has(k) {
			t.Fatalf("%s was in the forest and could have stayed", k)
		}
	}
}
