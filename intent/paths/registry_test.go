package paths

import (
	"testing"

	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// twoHops is the i-th of many paths over one link.
func twoHops(i uint32) []topology.Hop {
	return []topology.Hop{{DPID: 1, In: i, Out: 2}, {DPID: 2, In: 3, Out: 4}}
}

// TestPathsHaveDifferentHashes wants a path to be found among many without looking at the others.
func TestPathsHaveDifferentHashes(t *testing.T) {
	r := NewRegistry()
	seen := map[uint64]bool{}
	for i := range uint32(1000) {
		path := r.Along(twoHops(i))
		h := hashHops(path.route.Hops)
		if seen[h] {
			t.Fatalf("path %d has the hash of another", i)
		}
		seen[h] = true
		if r.Of(path.Route()) != path || r.Along(twoHops(i)) != path {
			t.Fatalf("path %d is not found by its route, or by its hops", i)
		}
	}
}

// TestSweep: paths that nobody takes any more are forgotten when there are many, but not those along which
// rules are not gone yet; hops that paths have stay, and are shared.
func TestSweep(t *testing.T) {
	r := NewRegistry()
	used, left := r.Along(twoHops(1)), r.Along(twoHops(2))
	r.AddUser(used, 7)
	r.AddRetiring(left.Route(), 8)
	for i := range uint32(minIdle + 10) {
		r.Along(twoHops(10 + i))
	}
	r.Sweep()
	if r.Len() != 2 || r.Along(twoHops(1)) != used || r.Along(twoHops(2)) != left {
		t.Fatalf("%d paths are kept, want two", r.Len())
	}
	if a, b := used.route.Hops[1], left.route.Hops[1]; a != b || r.hop(topology.Hop{DPID: 2, In: 3, Out: 4}) != a {
		t.Error("two paths, or the registry, have not the same hop")
	}
	if len(r.hops) != 3 || portsOf(r) != 3 {
		t.Errorf("%d hops and %d ports are kept, want 3", len(r.hops), portsOf(r))
	}
	r.RemoveUser(used, 7, func(uint32) bool { return false })
	r.RemoveRetiring(left.Route(), 8)
	for i := range uint32(minIdle + 10) {
		r.Along(twoHops(10 + i))
	}
	r.Sweep()
	if r.Len() != 0 || len(r.hops) != 0 || portsOf(r) != 0 {
		t.Errorf("%d paths, %d hops and %d ports are kept of nothing", r.Len(), len(r.hops), portsOf(r))
	}
	if r.Of(used.Route()) != nil {
		t.Error("a path that was dropped is found")
	}
}

// TestHolders: who takes a path, and who leaves it.
func TestHolders(t *testing.T) {
	r := NewRegistry()
	path := r.Along(twoHops(1))
	for n := range uint32(100) {
		r.AddUser(path, n)
	}
	for n := range uint32(90) {
		r.RemoveUser(path, n, func(m uint32) bool { return m > n })
	}
	r.AddRetiring(path.Route(), 200)
	seen := map[uint32]bool{}
	r.EachHolder(path, func(n uint32) bool { seen[n] = true; return true })
	for n := uint32(90); n < 100; n++ {
		if !seen[n] {
			t.Errorf("user %d is lost", n)
		}
	}
	if !seen[200] || path.users.Count() != 10 || !path.Used() || !r.HasRetiring(path) {
		t.Errorf("%d users, who leaves is there: %t", path.users.Count(), seen[200])
	}
}

// TestDurable: what is read of the durable form is the path that was written.
func TestDurable(t *testing.T) {
	r := NewRegistry()
	var in InTree
	in.Join([]topology.Hop{{DPID: 1, In: 9, Out: 1}, {DPID: 3, In: 1, Out: 9}})
	in.Join([]topology.Hop{{DPID: 2, In: 9, Out: 1}, {DPID: 3, In: 2, Out: 9}})
	var out OutTree
	out.Join([]topology.Hop{{DPID: 3, In: 9, Out: 1}, {DPID: 1, In: 1, Out: 9}})
	out.Join([]topology.Hop{{DPID: 3, In: 9, Out: 2}, {DPID: 2, In: 1, Out: 9}})
	list := []*Path{r.Along(twoHops(1)), r.Tree(in.Hops()), r.Tree(out.Hops())}
	var b []byte
	for _, path := range list {
		b = path.Append(b)
	}
	var d Decoder
	d.Reset(b)
	for i, path := range list {
		if !d.More() || d.Read(r) != path {
			t.Errorf("path %d, %v, is read as another", i, path.route)
		}
	}
	if d.More() || d.Bad() {
		t.Error("there is more to read")
	}
	for n := range len(b) {
		d.Reset(b[:n])
		for d.More() {
			d.Read(r)
		}
	}
}

// TestUnion: a tree that takes the place of another has the outputs of both first, unless these loop.
func TestUnion(t *testing.T) {
	r := NewRegistry()
	tree := func(branches ...[]topology.Hop) *Path {
		var out OutTree
		for _, b := range branches {
			out.Join(b)
		}
		return r.Tree(out.Hops())
	}
	to := func(dpid topology.Hop, last topology.Hop) []topology.Hop { return []topology.Hop{dpid, last} }
	a := tree(to(topology.Hop{DPID: 1, In: 9, Out: 1}, topology.Hop{DPID: 2, In: 1, Out: 9}))
	b := tree(to(topology.Hop{DPID: 1, In: 9, Out: 2}, topology.Hop{DPID: 3, In: 1, Out: 9}))
	u := r.Union(b, a)
	if u == b || !ruleset.HopTo(1, 9, 1, 2).Equal(u.route.Hops[0]) || !u.IsTree() {
		t.Errorf("together they are %v", u.route)
	}
	if r.Union(b, b) != b || CreatesLoop(a, b) {
		t.Error("a tree differs from itself, or two with one fork loop")
	}
	back := tree(to(topology.Hop{DPID: 2, In: 1, Out: 1}, topology.Hop{DPID: 1, In: 9, Out: 3}))
	if !CreatesLoop(a, back) {
		t.Error("there and back is no loop")
	}
}

// portsOf counts the ports that paths come in by.
func portsOf(r *Registry) (n int) {
	for range r.inPorts.All() {
		n++
	}
	return n
}
