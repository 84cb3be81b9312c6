package index

import (
	"math/rand/v2"
	"testing"
)

func TestIndexAgainstMap(t *testing.T) {
	var x Index[int]
	twin := make(map[uint64]int)
	rng := rand.New(rand.NewPCG(1, 2))
	compare := func() {
		t.Helper()
		found := 0
		x.Each(func(int) { found++ })
		if found != len(twin) {
			t.Fatalf("%d values, want %d", found, len(twin))
		}
		for k, v := range twin {
			if got, ok := x.Get(k); !ok || got != v {
				t.Fatalf("%d: %d %v, want %d", k, got, ok, v)
			}
		}
	}
	for i := range 20_000 {
		key := rng.Uint64N(2000) << 12
		if rng.IntN(3) == 0 {
			x.Remove(key)
			delete(twin, key)
		} else {
			x.Put(key, i)
			twin[key] = i
		}
	}
	compare()
	kept := make(map[uint64]bool)
	for k := range twin {
		if kept[k] = rng.IntN(2) == 0; !kept[k] {
			delete(kept, k)
			delete(twin, k)
		}
	}
	x.Keep(kept)
	compare()
}
