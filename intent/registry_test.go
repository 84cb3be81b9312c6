package intent

import (
	"testing"

	"github.com/weirnet/weir/topology"
)

// TestWaysHaveDifferentHashes wants a way to be found among many without looking at the others.
func TestWaysHaveDifferentHashes(t *testing.T) {
	r := newPathRegistry()
	seen := map[uint64]bool{}
	for i := range uint32(1000) {
		w := r.forHops([]topology.Hop{{DPID: 1, In: i, Out: 2}, {DPID: 2, In: 3, Out: 4}})
		h := hashHops(w.route.Hops)
		if seen[h] {
			t.Fatalf("way %d has the hash of another", i)
		}
		seen[h] = true
		if r.forRoute(&w.route) != w {
			t.Fatalf("way %d is not found by its route", i)
		}
	}
}
