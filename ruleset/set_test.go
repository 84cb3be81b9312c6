package ruleset

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// match is a canonical match by its fields.
func match(t testing.TB, pairs ...string) []byte {
	var m openflow.Match
	for i := 0; i < len(pairs); i += 2 {
		if err := m.SetText(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return m.Canonical().OXM
}

// sample is a set of two legs: a path there over three switches, and a tree back with two
// outputs.
func sample(t testing.TB) *Set {
	there := &Route{Hops: []*Hop{HopTo(1, 1, 2), HopTo(2, 1, 3),
		HopTo(3, 4, 4)}}
	back := &Route{Hops: []*Hop{HopTo(3, 4, 1, 2), HopTo(2, 3)}}
	return &Set{
		Kind: plan.KindIntent, Number: 7, Version: 3, Table: plan.TableForwarding, Priority: 20100,
		Legs: []Leg{{match(t, "ipv4_src", "10.0.0.1", "ipv4_dst", "10.0.0.2"), there}, {match(t, "eth_type", "0x0806"), back}},
	}
}

// printed are the set's rules as flow-mods in text.
func printed(p *Set, single, removal bool) (list []string) {
	var m openflow.FlowMod
	version := openflow.V13
	if single {
		version = openflow.V10
	}
	for i := range p.Len() {
		if removal {
			mask := plan.OwnerMask
			if single {
				mask = 0
			}
			p.Removal(i, 1, single, mask, &m)
		} else {
			p.FlowMod(i, 1, single, &m)
		}
		list = append(list, string(m.AppendText(nil, version)))
	}
	return list
}

func TestFlowMods(t *testing.T) {
	p := sample(t)
	const flags = " flags=send_flow_rem"
	for _, c := range []struct {
		single, removal bool
		want            []string
	}{
		{false, false, []string{
			"command=add table=1 priority=20100 cookie=0x0014000000070003" + flags +
				" match={in_port=1,eth_type=0x0800,ipv4_src=10.0.0.1,ipv4_dst=10.0.0.2} instructions=[apply:[output:2]]",
			"command=add table=1 priority=20100 cookie=0x0014000000070003" + flags +
				" match={in_port=1,eth_type=0x0800,ipv4_src=10.0.0.1,ipv4_dst=10.0.0.2} instructions=[apply:[output:3]]",
			"command=add table=1 priority=20100 cookie=0x0014000000070003" + flags +
				" match={in_port=4,eth_type=0x0800,ipv4_src=10.0.0.1,ipv4_dst=10.0.0.2} instructions=[apply:[output:in_port]]",
			"command=add table=1 priority=20100 cookie=0x0014000000070003" + flags +
				" match={in_port=4,eth_type=0x0806} instructions=[apply:[output:1,output:2]]",
			"command=add table=1 priority=20100 cookie=0x0014000000070003" + flags +
				" match={in_port=3,eth_type=0x0806} instructions=[]",
		}},
		{false, true, []string{
			"command=delete_strict table=1 priority=20100 cookie=0x0014000000070000 cookie_mask=0xffffffffffff0000 match={in_port=1,eth_type=0x0800,ipv4_src=10.0.0.1,ipv4_dst=10.0.0.2} instructions=[]",
		}},
		{true, true, []string{
			"command=delete_strict priority=20100 cookie=0x0000000000000000 match={in_port=1,eth_type=0x0800,ipv4_src=10.0.0.1,ipv4_dst=10.0.0.2} instructions=[]",
		}},
	} {
		got := printed(p, c.single, c.removal)
		if len(got) != 5 {
			t.Fatalf("%d flow-mods", len(got))
		}
		for i, want := range c.want {
			if got[i] != want {
				t.Errorf("rule %d: %s\nwant    %s", i, got[i], want)
			}
		}
	}
}

// TestMatchIsCanonical has others look entries up by it.
func TestMatchIsCanonical(t *testing.T) {
	p := sample(t)
	for i := range p.Len() {
		r := p.Rule(i, 1, false)
		if string(r.Match.OXM) != r.Match.Key() {
			t.Errorf("rule %d: %s is not canonical", i, r.Match)
		}
		if err := r.Match.Check(); err != nil {
			t.Errorf("rule %d: %v", i, err)
		}
	}
}

func TestSamePlaceAndRule(t *testing.T) {
	p := sample(t)
	q := sample(t)
	q.Version++
	if !p.SamePlace(1, q, 1) || !p.SameRule(1, q, 1) {
		t.Error("another version of the same is another rule")
	}
	q.Legs[0].Route = &Route{Hops: []*Hop{HopTo(1, 1, 5), HopTo(2, 2, 3),
		HopTo(3, 4, 4)}}
	for i, want := range []struct{ place, rule bool }{{true, false}, {false, false}, {true, true}, {true, true}} {
		if got := p.SamePlace(i, q, i); got != want.place {
			t.Errorf("rule %d: same place %t", i, got)
		}
		if got := p.SameRule(i, q, i); got != want.rule {
			t.Errorf("rule %d: same rule %t", i, got)
		}
	}
	if p.SamePlace(2, p, 3) {
		t.Error("two matches have one place")
	}
	other := sample(t)
	other.Number = 8
	if !p.SamePlace(0, other, 0) || p.SameRule(0, other, 0) {
		t.Error("another owner's rule in the same place is the same rule")
	}
	other.Priority++
	if p.SamePlace(0, other, 0) {
		t.Error("two priorities have one place")
	}
}

func TestFlowModsBudget(t *testing.T) {
	need.NoRace(t)
	p := sample(t)
	var m openflow.FlowMod
	b := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() {
		for i := range p.Len() {
			p.FlowMod(i, 1, false, &m)
			b, _ = m.Append(b[:0], openflow.V13)
			p.Removal(i, 1, false, plan.OwnerMask, &m)
			b, _ = m.Append(b[:0], openflow.V13)
		}
	}); n != 0 {
		t.Errorf("%g allocations for the flow-mods of a set", n)
	}
}

func BenchmarkFlowMod(b *testing.B) {
	p := sample(b)
	var m openflow.FlowMod
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for i := range b.N {
		p.FlowMod(i%3, 1, false, &m)
		buf, _ = m.Append(buf[:0], openflow.V13)
	}
}

// TestNew: a set is what it is made of, in memory of its own, whether it is one piece or not.
func TestNew(t *testing.T) {
	r := &Route{Hops: []*Hop{HopTo(1, 1, 2), HopTo(2, 1, 3)}}
	if h := r.Hops[1]; h.DPID != 2 || h.In != 1 || len(h.Out()) != 1 || h.Out()[0] != 3 {
		t.Errorf("hop %+v", h)
	}
	for _, legs := range [][]Leg{
		{{Match: []byte("a match"), Route: r}},
		{{Match: bytes.Repeat([]byte("m"), shortMatch+1), Route: r}},
		{{Match: bytes.Repeat([]byte("m"), longMatch+1), Route: r}},
		{{Match: []byte("there"), Route: r}, {Match: []byte("back"), Route: r}},
	} {
		p := New(plan.KindIntent, 7, 9, legs...)
		if p.Kind != plan.KindIntent || p.Number != 7 || p.Priority != 9 || len(p.Legs) != len(legs) || p.Len() != 2*len(legs) {
			t.Fatalf("%+v of %d legs", p, len(legs))
		}
		for i := range legs {
			if !bytes.Equal(p.Legs[i].Match, legs[i].Match) || p.Legs[i].Route != r {
				t.Errorf("leg %+v, want %+v", p.Legs[i], legs[i])
			}
			legs[i].Match[0] = '!'
			if p.Legs[i].Match[0] == '!' {
				t.Error("the match is in the caller's memory")
			}
		}
	}
}

// TestNewBudget: a set of one leg is one allocation.
func TestNewBudget(t *testing.T) {
	need.NoRace(t)
	r := &Route{Hops: []*Hop{HopTo(1, 1, 2)}}
	for _, length := range []int{0, shortMatch, shortMatch + 1, longMatch} {
		match := make([]byte, length)
		var p *Set
		if n := testing.AllocsPerRun(100,
			func() { p = New(plan.KindIntent, 7, 9, Leg{Match: match, Route: r}) }); n != 1 || p.Len() != 1 {
			t.Errorf("a match of %d bytes: %v allocations, want 1", length, n)
		}
	}
	if short, long := unsafe.Sizeof(shortSet{}), unsafe.Sizeof(longSet{}); short != 96 || long != 112 {
		t.Errorf("sets take %d and %d bytes, want 96 and 112", short, long)
	}
}

// SameRule reports whether two rules have the same place and owner and do the same, so that one
// need not be written over the other.
func (s *Set) SameRule(rule int, q *Set, other int) bool {
	if s.Kind != q.Kind || s.Number != q.Number || !s.SameTimes(q) || !s.SamePlace(rule, q, other) {
		return false
	}
	_, a := s.At(rule)
	_, b := q.At(other)
	return a.Do.Equal(b.Do)
}
