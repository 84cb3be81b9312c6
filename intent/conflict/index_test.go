package conflict

import (
	"hash/maphash"
	"iter"
	"slices"
	"testing"

	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// match is a canonical match by its fields.
func match(t *testing.T, pairs ...string) []byte {
	var m openflow.Match
	for i := 0; i < len(pairs); i += 2 {
		if err := m.SetText(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return m.Canonical().OXM
}

// TestWith: rules of the same match in the same place, matches that overlap where packets of both pass, and
// those that are not in each other's way; and nothing is left of what is removed.
func TestWith(t *testing.T) {
	r := paths.NewRegistry()
	sets := make(map[uint32][]*ruleset.Set)
	x := NewIndex(maphash.MakeSeed(), r, func(n uint32) iter.Seq[*ruleset.Set] { return slices.Values(sets[n]) })
	set := func(n, in uint32, m []byte) *ruleset.Set {
		path := r.Along([]topology.Hop{{DPID: 1, In: in, Out: 1}, {DPID: 2, In: 1, Out: 9}})
		r.AddUser(path, n)
		return ruleset.New(plan.KindIntent, n, 100, ruleset.Leg{Match: m, Route: path.Route()})
	}
	fixed := match(t, "ipv4_src", "10.0.0.1", "ipv4_dst", "10.0.0.2")
	open := match(t, "ipv4_dst", "10.0.0.2")
	first := set(1, 5, fixed)
	sets[1] = []*ruleset.Set{first}
	x.Add(first)
	for name, c := range map[string]struct {
		set  *ruleset.Set
		want Conflict
	}{
		"the same match elsewhere, which meets it at the second switch": {set(2, 6, fixed), Conflict{Number: 1}},
		"a match of any sender": {set(3, 6, open), Conflict{Number: 1, Overlap: true}},
		"another sender":        {set(4, 6, match(t, "ipv4_src", "10.0.0.3", "ipv4_dst", "10.0.0.2")), Conflict{}},
		"the sender by another field, from elsewhere": {
			set(5, 6, match(t, "eth_src", "02:00:00:00:00:01", "ipv4_dst", "10.0.0.2")), Conflict{}},
		"the sender by another field, from the same port": {
			set(6, 5, match(t, "eth_src", "02:00:00:00:00:01", "ipv4_dst", "10.0.0.2")), Conflict{Number: 1, Overlap: true}},
		"its own": {set(1, 5, open), Conflict{}},
	} {
		got := x.With(c.set)
		if got.At = (Conflict{}).At; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	second := set(2, 6, match(t, "ipv4_src", "10.0.0.9"))
	sets[2] = []*ruleset.Set{second}
	x.Add(second)
	if err := x.Check(10); err != nil {
		t.Error(err)
	}
	x.Remove(first)
	x.Remove(second)
	clear(sets)
	if err := x.Check(10); err != nil {
		t.Error(err)
	}
	if got := x.With(set(3, 6, open)); got != (Conflict{}) {
		t.Errorf("%+v is left", got)
	}
}
