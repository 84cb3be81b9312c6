package pathing

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirnet/weir/netview"
)

// TestRegistryAndPorts holds both to a naive list of paths, through random additions and removals.
func TestRegistryAndPorts(t *testing.T) {
	type path struct {
		hash   uint64
		number uint32
		hidden bool
		ports  []netview.Point
		at     []uint32 // positions in the lists of ports
	}
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var r Registry[path]
		var x Ports[int]
		var all []*path
		for range 300 {
			switch n := rng.IntN(8); {
			case n < 4 || len(all) == 0:
				p := &path{hash: rng.Uint64N(4)} // few: paths share them
				for _, port := range rng.Perm(6)[:1+rng.IntN(3)] {
					p.ports = append(p.ports, netview.Point{DPID: 1, Port: uint32(port + 1)})
				}
				p.number = r.Add(p.hash, p)
				for _, at := range p.ports {
					p.at = append(p.at, x.Add(x.Number(at), p.number))
				}
				all = append(all, p)
			case n < 5:
				if p := all[rng.IntN(len(all))]; !p.hidden {
					r.Hide(p.hash, p.number)
					p.hidden = true
				}
			default:
				i := rng.IntN(len(all))
				p := all[i]
				all = slices.Delete(all, i, i+1)
				for k, at := range p.ports {
					port := x.Number(at)
					if moved := x.Remove(port, p.at[k]); moved != 0 {
						q := r.At(moved)
						q.at[slices.Index(q.ports, at)] = p.at[k]
					}
				}
				if p.hidden {
					r.paths.Remove(p.number)
				} else {
					r.Remove(p.hash, p.number)
				}
			}
			seen := 0
			for number, p := range r.All() {
				if seen++; p.number != number || !slices.Contains(all, p) {
					t.Fatalf("seed %d: number %d has %+v", seed, number, p)
				}
			}
			found := 0
			through := make(map[netview.Point]int)
			for _, p := range all {
				is := r.Find(p.hash, func(q *path) bool { return q == p }) == p
				if is == p.hidden || !r.Has(p.number) || r.At(p.number) != p {
					t.Fatalf("seed %d: path %+v is found: %t", seed, p, is)
				}
				if is {
					found++
				}
				for k, at := range p.ports {
					through[at]++
					if x.At(at).Paths[p.at[k]] != p.number {
						t.Fatalf("seed %d: path %+v is not at its position of %v", seed, p, at)
					}
				}
			}
			if seen != len(all) || r.Len() != found || r.Has(0) || r.Has(1<<20) {
				t.Fatalf("seed %d: %d paths, %d found of %d, %d not hidden", seed, seen, r.Len(), len(all), found)
			}
			ports := 0
			for p := range x.All() {
				if ports++; len(p.Paths) != through[p.Point] || x.At(p.Point) != p {
					t.Fatalf("seed %d: port %v has %v, want %d", seed, p.Point, p.Paths, through[p.Point])
				}
			}
			if ports != len(through) {
				t.Fatalf("seed %d: %d ports, want %d", seed, ports, len(through))
			}
		}
	}
}

// TestSweepPorts takes many paths out of the index together.
func TestSweepPorts(t *testing.T) {
	var x Ports[int]
	a, b := netview.Point{DPID: 1, Port: 1}, netview.Point{DPID: 1, Port: 2}
	for path := range uint32(10) {
		x.Add(x.Number(a), path)
		if path%2 == 1 {
			x.Add(x.Number(b), path)
		}
	}
	x.Sweep(func(path uint32) bool { return path%2 == 1 })
	if x.At(b) != nil || !slices.Equal(x.At(a).Paths, []uint32{0, 2, 4, 6, 8}) {
		t.Errorf("ports %v and %v", x.At(a), x.At(b))
	}
	x.At(a).State = 7
	if p := x.Numbered(x.Number(a)); p.State != 7 || p.Point != a {
		t.Errorf("port %+v", p)
	}
}

// TestHash: hops in another order, or others, have another hash.
func TestHash(t *testing.T) {
	one := HashOf(2).Hop(1, 2, 3).Hop(4, 5, 6)
	for i, other := range []Hash{HashOf(2).Hop(4, 5, 6).Hop(1, 2, 3), HashOf(3).Hop(1, 2, 3).Hop(4, 5, 6),
		HashOf(2).Hop(1, 3, 2).Hop(4, 5, 6), one.With(0)} {
		if other.Sum() == one.Sum() {
			t.Errorf("hash %d is the same", i)
		}
	}
}
