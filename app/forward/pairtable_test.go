package forward

import (
	"math/rand/v2"
	"testing"
)

func TestPairTableAgainstMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range []uint64{3, 40, 3000} {
		var table pairTable
		twin := make(map[pair]flow)
		for i := range 60_000 {
			pr := pair{src: rng.Uint64N(size) << 16, dst: rng.Uint64N(3)}
			switch rng.IntN(5) {
			case 0, 1:
				table.remove(pr)
				delete(twin, pr)
			case 2:
				fl, ok := table.get(pr)
				if want, has := twin[pr]; fl != want || ok != has {
					t.Fatalf("%v: %v %v, want %v %v", pr, fl, ok, want, has)
				}
			default:
				fl := flow{path: uint32(i)}
				old, had := table.put(pr, fl)
				if want, has := twin[pr]; old != want || had != has {
					t.Fatalf("%v had %v %v, want %v %v", pr, old, had, want, has)
				}
				twin[pr] = fl
			}
			if table.len() != len(twin) {
				t.Fatalf("%d pairs, want %d", table.len(), len(twin))
			}
		}
		seen := 0
		table.each(func(pr pair, fl flow) bool {
			if want, ok := twin[pr]; !ok || fl != want {
				t.Errorf("%v: %v, want %v", pr, fl, want)
			}
			seen++
			return true
		})
		if seen != len(twin) {
			t.Errorf("%d pairs were visited, want %d", seen, len(twin))
		}
		for pr := range twin {
			table.remove(pr)
		}
		if table.len() != 0 {
			t.Errorf("%d pairs are left in an emptied table", table.len())
		}
	}
}
