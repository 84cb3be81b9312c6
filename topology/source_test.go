package topology

import (
	"sync"
	"testing"

	"github.com/weirnet/weir/netview"
	"pgregory.net/rapid"
)

// followed is a follower, and what it has heard of links: with its changes it is to know all of them.
type followed struct {
	*Follower
	links map[netview.LinkKey]*netview.Link
}

// take takes an update, and compares the map with one that is built of the same snapshot.
func (f *followed) take(t *rapid.T, most int) Update {
	u := f.Next(most)
	if u.Upto > u.Snap.Revision() || f.rev != u.Upto {
		t.Fatalf("changes up to %d, a snapshot of %d, revision %d", u.Upto, u.Snap.Revision(), f.rev)
	}
	if u.Reset {
		clear(f.links)
		for l := range u.Snap.Links() {
			f.links[l.LinkKey] = l
		}
	}
	for i := range u.Changes {
		if c := &u.Changes[i]; c.Kind == netview.KindLink {
			if f.links[c.Link.LinkKey] = c.Link; c.Deleted {
				delete(f.links, c.Link.LinkKey)
			}
		}
	}
	compare(t, u.Snap, u.Map)
	if !f.Behind() {
		for l := range u.Snap.Links() {
			if f.links[l.LinkKey] != l {
				t.Fatalf("link %s is %+v, heard %+v", l.LinkKey, l, f.links[l.LinkKey])
			}
		}
		if len(f.links) != u.Snap.Counts().Links {
			t.Fatalf("heard of %d links, there are %d", len(f.links), u.Snap.Counts().Links)
		}
	}
	return u
}

// TestSource has followers take updates of a network, of which two sources write, at their own paces, some so late that the
// view's log does not reach back. Who has the newest snapshot has the one map of it, which all can see.
func TestSource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newNet(4)
		if rapid.Bool().Draw(t, "short log") {
			n = &net{view: netview.New(netview.Limits{Changes: 6})}
			n.facts = n.view.Facts()
			for i := range 4 {
				n.addSwitch(netview.DPID(i + 1))
			}
		}
		writers := [2]*netview.Facts{n.facts, n.view.FactsFrom(netview.NewFactSource("far", netview.Relayed))}
		source := NewSource(n.view)
		if source.Map() != nil {
			t.Fatal("a map before anybody asked")
		}
		var followers []*followed
		for range 3 {
			followers = append(followers, &followed{source.Follow(), make(map[netview.LinkKey]*netview.Link)})
		}
		maps := make(map[netview.Revision]*Map)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			a, b := netview.DPID(rapid.IntRange(1, 6).Draw(t, "a")), netview.DPID(rapid.IntRange(1, 6).Draw(t, "b"))
			p := rapid.Uint32Range(1, 2).Draw(t, "port")
			f := followers[rapid.IntRange(0, 2).Draw(t, "follower")]
			n.facts = writers[rapid.IntRange(0, 1).Draw(t, "source")]
			switch rapid.IntRange(0, 7).Draw(t, "op") {
			case 0:
				n.addSwitch(a)
			case 1:
				n.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(a) })
			case 2:
				n.cable(a, p, b, p, false, netview.LinkConfirmed)
			case 3, 4:
				n.cable(a, p, b, p, true, netview.LinkConfirmed)
			case 5:
				compare(t, n.view.Snapshot(), source.Latest())
				maps[n.view.Snapshot().Revision()] = source.Map()
			default:
				first := !f.begun
				u := f.take(t, rapid.IntRange(1, 20).Draw(t, "most"))
				if first && !u.Reset {
					t.Fatal("a first update that is no reset")
				}
				if m := maps[u.Snap.Revision()]; m != nil && m != u.Map || source.Map() != u.Map {
					t.Fatalf("two maps of revision %d", u.Snap.Revision())
				}
				maps[u.Snap.Revision()] = u.Map
			}
		}
		for _, f := range followers {
			for f.Behind() {
				f.take(t, 20)
			}
			if u := f.take(t, 20); len(u.Changes) > 0 || u.Reset || !u.Whole() || u.Map != source.Latest() {
				t.Fatalf("nothing has changed: %+v", u)
			}
		}
	})
}

// TestFollowerWaits: a follower is woken by changes, and is behind until it has taken them.
func TestFollowerWaits(t *testing.T) {
	n := newNet(2)
	f := NewSource(n.view).Follow()
	if !f.Behind() {
		t.Error("not behind before the first update")
	}
	f.Next(10)
	select {
	case <-f.Changed():
		t.Error("woken by nothing")
	default:
	}
	if f.Behind() {
		t.Error("behind, with nothing to take")
	}
	n.cable(1, 1, 2, 1, true, netview.LinkConfirmed)
	<-f.Changed()
	if !f.Behind() {
		t.Error("not behind after a change")
	}
	if u := f.Next(10); len(u.Changes) != 2 || !u.Map.Up(key(1, 1, 2, 1)) {
		t.Errorf("%d changes, want those of both directions", len(u.Changes))
	}
}

// TestOneMapForAll: the distances that one follower had computed are those of the others.
func TestOneMapForAll(t *testing.T) {
	n := torus(4)
	source := NewSource(n.view)
	a, b := source.Follow(), source.Follow()
	first, second := a.Next(1), b.Next(1)
	n.cable(1, 3, 2, 4, false, netview.LinkConfirmed)
	third := a.Next(100)
	if first.Map != second.Map || third.Map == first.Map || source.Map() != third.Map {
		t.Fatal("not one map at a time")
	}
	if u := b.Next(1); u.Whole() || u.Map != third.Map || u.Map.Up(key(1, 3, 2, 4)) {
		t.Errorf("a part of the changes: whole %t", u.Whole())
	}
	if u := b.Next(1); !u.Whole() || u.Map != third.Map {
		t.Errorf("the rest of the changes: whole %t", u.Whole())
	}
}

// TestFollowersBesideEachOther has followers, and some who only look, run beside a network that changes:
// maps never go back, and each is that of its snapshot.
func TestFollowersBesideEachOther(t *testing.T) {
	n := torus(4)
	source, cable := NewSource(n.view), key(1, 3, 2, 4)
	var last netview.Revision
	ended := make(chan struct{})
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			f := source.Follow()
			for rev := netview.Revision(0); ; {
				u := f.Next(3)
				there, back := linkPair(u.Snap, cable)
				_, _, up := costsOf(there, back)
				if u.Map.Up(cable) != up || u.Upto < rev || u.Map.Revision() > u.Snap.Revision() {
					t.Errorf("map of %d, snapshot of %d, changes up to %d", u.Map.Revision(), u.Snap.Revision(), u.Upto)
					return
				}
				rev = u.Upto
				select {
				case <-ended:
					if rev >= last {
						return
					}
				case <-f.Changed():
				}
			}
		})
		all.Go(func() {
			for seen := netview.Revision(0); ; {
				for _, m := range []*Map{source.Map(), source.Latest()} {
					if m != nil && m.Revision() < seen {
						t.Errorf("map of %d after one of %d", m.Revision(), seen)
						return
					} else if m != nil {
						seen = m.Revision()
						m.PathBetween(cable.Src, cable.Dst, uint64(seen), nil)
					}
				}
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	for i := range 300 {
		n.cable(1, 3, 2, 4, i%2 == 0, netview.LinkConfirmed)
	}
	last = n.view.Snapshot().Revision()
	close(ended)
	all.Wait()
}
