package route

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestHeap pushes and pops at random beside a sorted slice.
func TestHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h heap
		var twin []uint64
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(twin) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				d, n := h.pop()
				if got := uint64(d)<<32 | uint64(n); got != twin[0] {
					t.Fatalf("popped %x, want %x of %x", got, twin[0], twin)
				}
				twin = twin[1:]
				continue
			}
			d, n := rapid.Uint32Max(5).Draw(t, "dist"), rapid.Int32Range(0, 1000).Draw(t, "node")
			h.push(d, n)
			twin = append(twin, uint64(d)<<32|uint64(n))
			slices.Sort(twin)
		}
		if len(h) != len(twin) {
			t.Fatalf("%d elements, want %d", len(h), len(twin))
		}
	})
}
