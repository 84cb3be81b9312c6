package rig

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// meshLinks is how many links a mesh of n switches has: about two a switch, 416 for the 206 of the figures.
func meshLinks(n int) int { return min(n*416/206, n*(n-1)/2) }

// mesh makes a wide-area mesh: switches at random places on a plane, each joined to its nearest before it, then the
// shortest links that are missing between switches of low degree.
func (t *Topology) mesh(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 206))
	x, y := make([]float64, t.Switches), make([]float64, t.Switches)
	for i := range x {
		x[i], y[i] = r.Float64(), r.Float64()
	}
	length := func(a, b int) float64 { return math.Hypot(x[a]-x[b], y[a]-y[b]) }
	joined := make(map[[2]int]bool)
	for a := 1; a < t.Switches; a++ {
		near := 0
		for b := range a {
			if length(a, b) < length(a, near) {
				near = b
			}
		}
		joined[[2]int{near, a}] = true
		t.join(near, a)
	}
	var missing [][2]int
	for a := range t.Switches {
		for b := range a {
			if !joined[[2]int{b, a}] {
				missing = append(missing, [2]int{b, a})
			}
		}
	}
	slices.SortFunc(missing, func(p, q [2]int) int { return cmp.Compare(length(p[0], p[1]), length(q[0], q[1])) })
	want := meshLinks(t.Switches)
	for most := uint32(5); len(t.Links) < want; most++ {
		for _, p := range missing {
			if len(t.Links) < want && !joined[p] && t.degree[p[0]] < most && t.degree[p[1]] < most {
				joined[p] = true
				t.join(p[0], p[1])
			}
		}
	}
}
