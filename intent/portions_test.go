package intent

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// TestPortions: of many whose way is broken a few are ordered before the others are decided, each
// portion is twice the one before, and they come in the order of their numbers, each once.
func TestPortions(t *testing.T) {
	n := square(t)
	reqs := make([]Request, 600)
	for i := range reqs {
		reqs[i] = Request{Op: Create, Spec: flow(fmt.Sprint("i", i), at(1, 9), at(4, 9), uint32(i))}
	}
	n.submit(false, reqs...)
	n.rest()
	via := map[netview.DPID]int{}
	for i := range reqs {
		in, _ := n.engine.Get(fmt.Sprint("i", i))
		via[in.Rules.Legs[0].Route.Hops[1].DPID]++
	}
	if via[2] < 100 || via[3] < 100 {
		t.Fatalf("one way has nearly all: %v", via)
	}
	var portions [][]uint32
	n.engine.config.Orders = func(list []ruleset.Order) {
		n.orders = append(n.orders, list...)
		var numbers []uint32
		for i := range list {
			numbers = append(numbers, list[i].Rules.Number)
		}
		portions = append(portions, slices.Compact(numbers))
	}
	n.put(link(1, 1, 2, 1), false, netview.LinkConfirmed)
	n.step()
	var all []uint32
	for i, p := range portions {
		if want := min(firstReroutes<<i, maxReroutes); len(p) != want && i < len(portions)-1 {
			t.Errorf("portion %d has %d intents, want %d", i, len(p), want)
		}
		all = append(all, p...)
	}
	if len(portions) < 5 {
		t.Errorf("%d portions, want 8 intents, 16, 32, 64 and so on", len(portions))
	}
	if len(all) != via[2] || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("%d intents were ordered, want the %d whose way broke, in order, each once: %v", len(all), via[2], all)
	}
	n.rest()
	n.checkWanted(t.Fatalf)
}

// TestHopsAreShared: paths that pass the same ports have the same hops, also after ways were
// forgotten.
func TestHopsAreShared(t *testing.T) {
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: flow("a", at(1, 9), at(2, 9), 1)},
		Request{Op: Create, Spec: flow("b", at(1, 10), at(2, 9), 2)})
	n.rest()
	hops := func(id string) []any {
		in, _ := n.engine.Get(id)
		var list []any
		for _, h := range in.Rules.Legs[0].Route.Hops {
			list = append(list, h)
		}
		return list
	}
	a, b := hops("a"), hops("b")
	if len(a) != 2 || a[0] == b[0] || a[1] != b[1] {
		t.Errorf("hops %v and %v: the last is the same, and is to be one", a, b)
	}
	n.submit(false, Request{Op: Create, Spec: flow("c", at(1, 11), at(2, 9), 3)})
	n.rest()
	if c := hops("c"); c[1] != b[1] {
		t.Error("a hop that is in use was forgotten")
	}
}
