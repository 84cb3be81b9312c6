package hashtab

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/need"
)

// hash is a poor one for small sizes: many keys share places, and some all bits.
func hash(key, size uint64) uint64 { return key % size * 0x9e3779b97f4a7c15 }

// TestTableAgainstMap compares Put, Get and Remove with a map.
func TestTableAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range []uint64{3, 40, 3000} {
		var table Table[uint64, int]
		twin := make(map[uint64]int)
		for i := range 60_000 {
			key := r.Uint64N(2 * size)
			h := hash(key, size)
			want, has := twin[key]
			switch r.IntN(5) {
			case 0, 1:
				if table.Remove(h, key) != has {
					t.Fatalf("%d was there: %v", key, has)
				}
				delete(twin, key)
			case 2:
				if got, ok := table.Get(h, key); got != want || ok != has {
					t.Fatalf("%d: %v %v, want %v %v", key, got, ok, want, has)
				}
			default:
				if old, had := table.Put(h, key, i); old != want || had != has {
					t.Fatalf("%d had %v %v, want %v %v", key, old, had, want, has)
				}
				twin[key] = i
			}
			if table.Len() != len(twin) {
				t.Fatalf("%d entries, want %d", table.Len(), len(twin))
			}
		}
		if got := maps.Collect(table.All); !maps.Equal(got, twin) {
			t.Errorf("%d entries are visited, want %d", len(got), len(twin))
		}
		for key := range twin {
			table.Remove(hash(key, size), key)
		}
		for i := range table.parts {
			if table.Len() != 0 || table.parts[i].slots != nil {
				t.Fatalf("%d entries and %d slots are left", table.Len(), len(table.parts[i].slots))
			}
		}
	}
}

// TestTableOfHashes compares Add, Remove and Find with lists of the keys of each hash, some of them
// several times.
func TestTableOfHashes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, size := range []uint64{3, 40, 1000} {
		var table Table[uint32, struct{}]
		twin := make(map[uint64][]uint32)
		for range 40_000 {
			key := uint32(r.Uint64N(4 * size))
			h := hash(uint64(key), size)
			if i := slices.Index(twin[h], key); r.IntN(2) == 0 {
				table.Add(h, key, struct{}{})
				twin[h] = append(twin[h], key)
			} else if table.Remove(h, key) != (i >= 0) {
				t.Fatalf("%d was there: %v", key, i >= 0)
			} else if i >= 0 {
				twin[h] = slices.Delete(twin[h], i, i+1)
			}
			var got []uint32
			table.Find(h, func(k uint32) bool { got = append(got, k); return true })
			slices.Sort(got)
			if want := slices.Sorted(slices.Values(twin[h])); !slices.Equal(got, want) {
				t.Fatalf("hash %x: %v, want %v", h, got, want)
			}
		}
	}
}

// TestTableBudget: a table allocates when a part grows, and never else.
func TestTableBudget(t *testing.T) {
	need.NoRace(t)
	var table Table[uint64, int]
	for key := range uint64(1000) {
		table.Put(hash(key, 1000), key, 1)
	}
	if n := testing.AllocsPerRun(10, func() {
		for key := range uint64(500) {
			table.Remove(hash(key, 1000), key)
		}
		for key := range uint64(500) {
			table.Put(hash(key, 1000), key, 1)
			table.Get(hash(key, 1000), key)
		}
	}); n != 0 {
		t.Fatalf("%v allocations, want none", n)
	}
}
