package topology

import (
	"maps"
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"pgregory.net/rapid"
)

// naiveForest is a forest that is computed anew each time, as its description says it.
type naiveForest struct {
	links map[netview.LinkKey]bool
	avoid map[netview.Point]bool
}

func (f *naiveForest) update(snap *netview.Snapshot) {
	sets := make(disjoint)
	next := make(map[netview.LinkKey]bool)
	var tiers [6][]netview.LinkKey // fresh, as before though unsure, to avoid, draining but in the forest, draining, unsure
	begins := len(f.links) == 0 && len(f.avoid) > 0
	for there, back := range snap.LinkPairs() {
		if _, _, up := costsOf(there, back); !up || there.Src.DPID == there.Dst.DPID {
			continue
		}
		key := there.LinkKey
		tier := 0
		unsure, avoid := unsure(there) || unsure(back), f.avoid[key.Src] || f.avoid[key.Dst]
		switch draining := there.Draining || back.Draining; {
		case f.links[key] && (!draining || unsure):
			sets.join(key.Src.DPID, key.Dst.DPID)
			next[key] = true
			continue
		case unsure && begins && !draining && !avoid:
			tier = 1
		case unsure:
			tier = 5
		case f.links[key]:
			tier = 3
		case draining:
			tier = 4
		case avoid:
			tier = 2
		}
		tiers[tier] = append(tiers[tier], key)
	}
	for _, keys := range tiers {
		for _, key := range keys {
			if sets.join(key.Src.DPID, key.Dst.DPID) {
				next[key] = true
			}
		}
	}
	f.links = next
}

// portsOf are the ports of a switch, in order.
func (f *naiveForest) portsOf(dpid netview.DPID) (ports []uint32) {
	for key := range f.links {
		if key.Src.DPID == dpid {
			ports = append(ports, key.Src.Port)
		}
		if key.Dst.DPID == dpid {
			ports = append(ports, key.Dst.Port)
		}
	}
	slices.Sort(ports)
	return ports
}

// disjoint are sets of switches that are joined already.
type disjoint map[netview.DPID]netview.DPID

func (d disjoint) root(x netview.DPID) netview.DPID {
	for {
		up, ok := d[x]
		if !ok || up == x {
			return x
		}
		x = up
	}
}

func (d disjoint) join(a, b netview.DPID) bool {
	ra, rb := d.root(a), d.root(b)
	if ra == rb {
		return false
	}
	d[ra] = rb
	return true
}

// in are the links that are in a forest.
func (f *Forest) in() map[netview.LinkKey]bool {
	links := make(map[netview.LinkKey]bool)
	for i := range f.links {
		if f.links[i].in {
			links[f.links[i].key] = true
		}
	}
	return links
}

// TestForestLikeOneComputedAnew has a forest that follows changes, one that looks at everything,
// and the naive one go through the same history.
func TestForestLikeOneComputedAnew(t *testing.T) {
	for range need.Rounds(10) {
		rapid.Check(t, oneHistory)
	}
}

func oneHistory(t *rapid.T) {
	size := rapid.IntRange(2, 8).Draw(t, "switches") // in small networks more links close loops
	n := newNet(size)
	inputs := n.view.Inputs()
	rev := n.view.Snapshot().Revision()
	naive, follows, updates := &naiveForest{}, NewForest(), NewForest()
	var before map[netview.LinkKey]bool
	drained := &netview.Settings{Links: map[netview.LinkKey]netview.LinkSettings{}}
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		a, b := netview.DPID(rapid.IntRange(1, size).Draw(t, "a")), netview.DPID(rapid.IntRange(1, size).Draw(t, "b"))
		ap, bp := rapid.Uint32Range(1, 3).Draw(t, "ap"), rapid.Uint32Range(1, 2).Draw(t, "bp")
		k := key(a, ap, b, bp)
		state := rapid.SampledFrom([]netview.LinkState{netview.LinkConfirmed, netview.LinkUnconfirmed}).Draw(t, "state")
		switch op := rapid.IntRange(0, 24).Draw(t, "op"); op {
		case 0:
			n.addSwitch(a)
		case 1, 2:
			n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteLink(k) })
		case 3:
			n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(a) })
		case 4, 5, 6:
			n.put(k, false, netview.LinkConfirmed)
		case 7:
			n.put(k, true, state)
		case 8, 9, 10, 11, 12:
			next := &netview.Settings{Links: maps.Clone(drained.Links)}
			next.Links[k] = netview.LinkSettings{Drained: !next.Links[k].Drained}
			drained = next
			inputs.Set(next)
		case 13:
			naive = &naiveForest{avoid: map[netview.Point]bool{}}
			follows.Restart()
			updates.Restart()
			for range rapid.IntRange(0, 3).Draw(t, "avoided") {
				at := netview.Point{DPID: netview.DPID(rapid.IntRange(1, size).Draw(t, "at")),
					Port: rapid.Uint32Range(1, 3).Draw(t, "port")}
				naive.avoid[at] = true
				follows.Avoid(at)
				updates.Avoid(at)
			}
		default:
			n.cable(a, ap, b, bp, true, state)
		}
		if rapid.IntRange(0, 2).Draw(t, "look") > 0 {
			continue
		}
		snap := n.view.Snapshot()
		var named []netview.LinkKey
		changes, upto, _ := n.view.Changes(rev, 1<<20)
		for _, c := range changes {
			if c.Kind == netview.KindLink {
				named = append(named, c.Link.LinkKey)
			}
		}
		rev = upto
		naive.update(snap)
		likeNaive(t, naive, before, follows, follows.Follow(snap, named))
		likeNaive(t, naive, before, updates, updates.Update(snap))
		before = naive.links
	}
}

// likeNaive compares a forest with the naive one, and what is said to have changed with what has.
func likeNaive(t *rapid.T, naive *naiveForest, before map[netview.LinkKey]bool, f *Forest, changed []netview.LinkKey) {
	if got := f.in(); !maps.Equal(got, naive.links) || f.size != len(got) {
		t.Fatalf("the forest is %v, want %v", got, naive.links)
	}
	for dpid := netview.DPID(1); dpid <= 12; dpid++ {
		if got, want := f.Ports(dpid), naive.portsOf(dpid); !slices.Equal(got, want) {
			t.Fatalf("ports of switch %d: %v, want %v", dpid, got, want)
		}
	}
	told := make(map[netview.LinkKey]bool)
	for _, key := range changed {
		told[key] = true
		if before[key] == naive.links[key] {
			t.Fatalf("%s is said to have changed", key)
		}
	}
	for _, links := range []map[netview.LinkKey]bool{before, naive.links} {
		for key := range links {
			if f.Has(key) != naive.links[key] || f.Has(key.Reverse()) != naive.links[key] {
				t.Fatalf("%s: in the forest %t", key, f.Has(key))
			}
			if before[key] != naive.links[key] && !told[key] {
				t.Fatalf("%s has changed, and nothing is said", key)
			}
		}
	}
}
