package pairs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirnet/weir/app/forward/places"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/topology"
)

// TestPairOfMatch reads pairs back from the matches of their rules; what is no pair's is not.
func TestPairOfMatch(t *testing.T) {
	for _, vlan := range []uint16{0, openflow.VLANPresent | 7} {
		pr := Of(0x0200_0000_0001, 0x0200_0000_0002, vlan)
		m := openflow.Match{OXM: pr.AppendMatch(nil)}
		if got, ok := OfMatch(m); !ok || got != pr {
			t.Errorf("%v is read from %s as %v, %v", pr, m, got, ok)
		}
		m.OXM = m.OXM[:len(m.OXM)-10]
		if got, ok := OfMatch(m); ok {
			t.Errorf("%v is read from %s", got, m)
		}
		id := netview.HostID{MAC: packet.MACFromUint64(0x0200_0000_0001), VLAN: vlan &^ openflow.VLANPresent}
		if pr.SrcHost() != id || pr.Src() != places.KeyOfHost(id) {
			t.Errorf("the source is %v, %x, want %v", pr.SrcHost(), pr.Src(), id)
		}
		if back := Of(0x0200_0000_0002, 0x0200_0000_0001, vlan); back.Hash() != pr.Hash() || back.Src() != pr.Dst() {
			t.Errorf("there %x, back %x", pr.Hash(), back.Hash())
		}
	}
}

// TestTable compares what Where returns with a map.
func TestTable(t *testing.T) {
	var table Table
	r := rand.New(rand.NewPCG(1, 2))
	twin := make(map[Pair]Flow)
	for i := range 5000 {
		pr := Of(r.Uint64N(50), r.Uint64N(50), 0)
		if r.IntN(3) == 0 {
			table.Remove(pr)
			delete(twin, pr)
			continue
		}
		fl := Flow{Path: uint32(i), Out: 1}
		old, had := table.Put(pr, fl)
		if want, is := twin[pr]; had != is || old != want {
			t.Fatalf("%v had %v, %v, want %v, %v", pr, old, had, want, is)
		}
		twin[pr] = fl
	}
	var want []Pair
	for pr, fl := range twin {
		if fl.Path%2 == 0 {
			want = append(want, pr)
		}
	}
	slices.SortFunc(want, Pair.Compare)
	got := table.Where(func(_ Pair, fl Flow) bool { return fl.Path%2 == 0 })
	if !slices.Equal(got, want) || table.Len() != len(twin) {
		t.Errorf("%d of %d pairs, want %d of %d", len(got), table.Len(), len(want), len(twin))
	}
}

func at(dpid netview.DPID, port uint32) netview.Point { return netview.Point{DPID: dpid, Port: port} }

var (
	line  = []topology.Hop{{DPID: 1, In: 9, Out: 2}, {DPID: 2, In: 1, Out: 3}, {DPID: 3, In: 1, Out: 8}}
	other = []topology.Hop{{DPID: 1, In: 9, Out: 4}, {DPID: 3, In: 4, Out: 8}}
)

// TestPaths: each path is there once while somebody holds it, and found by its number and its cookie.
func TestPaths(t *testing.T) {
	t1 := NewPaths(1, 7)
	a, again, b := t1.Acquire(line), t1.Acquire(slices.Clone(line)), t1.Acquire(other)
	if a != again || a == b || a.ID == 0 || a.ID == b.ID || len(t1.All()) != 2 {
		t.Fatalf("paths %d, %d, %d of %d", a.ID, again.ID, b.ID, len(t1.All()))
	}
	if t1.Get(0) != nil || t1.HoldByID(0) != nil || t1.Get(99) != nil {
		t.Error("a path of no number")
	}
	fl := Flow{Path: a.ID, Out: 2}
	if !t1.Is(fl, line) || t1.Is(fl, other) || !t1.WroteIngress(fl, t1.Cookie(a.ID)) || t1.WroteIngress(fl, t1.Cookie(b.ID)) {
		t.Error("a flow is not that of its path, or that of another")
	}
	if within := (Flow{Out: 5}); !t1.WroteIngress(within, NewPaths(1, 8).Cookie(0)) || t1.WroteIngress(within, t1.Cookie(a.ID)) ||
		t1.WroteIngress(within, NewPaths(2, 7).Cookie(0)) || t1.IngressCookie(within) != t1.Cookie(0) {
		t.Error("a pair within a switch is not known by its cookie")
	}
	if t1.ByCookie(t1.Cookie(a.ID), 2) != a || t1.ByCookie(t1.Cookie(b.ID), 2) != nil ||
		t1.ByCookie(NewPaths(1, 8).Cookie(a.ID), 2) != nil {
		t.Error("a path is not found by its cookie, or where it does not pass")
	}
	t1.Release(a.ID)
	if t1.Get(a.ID) != a {
		t.Error("a path that is held has gone")
	}
	t1.Release(a.ID)
	if t1.Get(a.ID) != nil || len(t1.All()) != 1 {
		t.Error("a path that nobody holds is still there")
	}
	if c := t1.Acquire(line); c.ID != a.ID {
		t.Errorf("number %d is not used again, but %d", a.ID, c.ID)
	}
}

// TestAdopted: paths of an earlier run are others than this run's, known by the cookies of their rules, as long as
// they are held.
func TestAdopted(t *testing.T) {
	before, now := NewPaths(1, 7), NewPaths(1, 8)
	old := before.Cookie(5)
	cookies := []uint64{old, old, before.Cookie(6)}
	a, own := now.Adopt(line, cookies), now.Acquire(line)
	if a == own || now.Adopt(line, cookies) != a || now.CookieAt(a, 2) != cookies[2] ||
		now.CookieAt(own, 2) != now.Cookie(own.ID) {
		t.Fatalf("adopted %d, own %d: cookies %x, %x", a.ID, own.ID, now.CookieAt(a, 2), now.CookieAt(own, 2))
	}
	if now.ByCookie(old, 2) != a || now.ByCookie(old, 3) != nil || now.ByCookie(cookies[2], 3) != a {
		t.Error("not found by the cookie of its rule on a switch, or by another")
	}
	if now.ByCookie(now.Cookie(a.ID), 2) != nil {
		t.Error("an adopted path is found by a cookie that none of its rules has")
	}
	now.Release(a.ID)
	now.Release(a.ID)
	if now.ByCookie(old, 2) != nil || len(now.inherited) != 0 {
		t.Error("its cookies are kept")
	}
}

// TestMarkDead: the same hops are another path once a port of theirs is gone.
func TestMarkDead(t *testing.T) {
	t1 := NewPaths(1, 7)
	a, b := t1.Acquire(line), t1.Acquire(other)
	gone := map[netview.Point]bool{at(2, 3): true, at(3, 4): true} // of the latter paths only come in by it
	if dead := t1.MarkDead(gone); len(dead) != 1 || dead[a.ID] != a || !a.Dead() || b.Dead() {
		t.Fatalf("dead are %v", dead)
	}
	if len(t1.MarkDead(gone)) != 0 {
		t.Error("a path dies twice")
	}
	if t1.Is(Flow{Path: a.ID}, line) {
		t.Error("a dead path is taken for that with its hops")
	}
	c := t1.Acquire(line)
	if c == a || c.ID == a.ID || c.Dead() {
		t.Error("the dead path is acquired again")
	}
	t1.Release(a.ID)
	if t1.Acquire(line) != c {
		t.Error("the end of the dead path took the living one away")
	}
}

func TestPath(t *testing.T) {
	p := &Path{Hops: line}
	links := fmt.Sprint(slices.Collect(p.EachLink))
	if want := fmt.Sprint([]netview.LinkKey{{Src: at(1, 2), Dst: at(2, 1)}, {Src: at(2, 3), Dst: at(3, 1)}}); links != want {
		t.Errorf("links %s, want %s", links, want)
	}
	if !p.Crosses(map[netview.LinkKey]bool{{Src: at(2, 3), Dst: at(3, 1)}: true}) ||
		p.Crosses(map[netview.LinkKey]bool{{Src: at(3, 1), Dst: at(2, 3)}: true}) {
		t.Error("it crosses another link, or not its own")
	}
	if p.Ingress() != 1 || p.Egress() != at(3, 8) || p.IndexOf(3) != 2 || p.IndexOf(4) != -1 {
		t.Errorf("from %s to %s, switch 3 at %d", p.Ingress(), p.Egress(), p.IndexOf(3))
	}
	for place, want := range map[netview.Point]bool{
		at(2, 0): true, at(2, 1): true, at(2, 3): true, at(2, 2): false, at(4, 0): false,
	} {
		if p.Passes(place) != want {
			t.Errorf("passes %s: %v", place, !want)
		}
	}
}
