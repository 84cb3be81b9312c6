package topo

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// maxMesh bounds the time to draw a mesh, which grows with the square of the switches: about a
// second for 10,000.
const maxMesh = 10000

// meshLinks is how many links a mesh of n switches has: about two a switch, 416 for the 206 of the
// figures.
func meshLinks(n int) int { return min(n*416/206, n*(n-1)/2) }

// plane is where the switches of a mesh are, and which of them are joined.
type plane struct {
	*builder
	x, y   []float64
	byX    []int // switches from left to right
	joined map[[2]int]bool
}

func (p *plane) length(a, b int) float64 { return math.Hypot(p.x[a]-p.x[b], p.y[a]-p.y[b]) }

// mesh makes a wide-area mesh: switches at random places on a plane, each joined to its nearest
// before it, then the shortest links that are missing between switches of low degree.
func mesh(b *builder, _ []int, seed uint64) []int {
	r := rand.New(rand.NewPCG(seed, 206))
	n := len(b.Switches)
	p := &plane{b, make([]float64, n), make([]float64, n), b.all(), make(map[[2]int]bool)}
	for i := range n {
		p.x[i], p.y[i] = r.Float64(), r.Float64()
	}
	slices.SortFunc(p.byX, func(a, b int) int { return cmp.Compare(p.x[a], p.x[b]) })
	for a := 1; a < n; a++ {
		near, least := 0, p.length(a, 0)
		for b := 1; b < a; b++ {
			if far := p.length(a, b); far < least {
				near, least = b, far
			}
		}
		p.link([2]int{near, a})
	}
	for most := uint32(5); len(b.Links) < meshLinks(n); most++ {
		p.fill(most)
	}
	return nil
}

func (p *plane) link(pair [2]int) {
	p.joined[pair] = true
	p.join(pair[0], pair[1])
}

// fill joins the nearest pairs first, while both have fewer than most links. Pairs are looked at in
// rings of growing length, because far ones are many and seldom needed.
func (p *plane) fill(most uint32) {
	n := len(p.Switches)
	const widest = 1.5 // longer than the diagonal
	step := 1.5 / math.Sqrt(float64(n))
	for low := 0.0; low < widest && len(p.Links) < meshLinks(n); {
		high := low + step
		for _, pair := range p.missing(low, high) {
			if len(p.Links) < meshLinks(n) && p.degree[pair[0]] < most && p.degree[pair[1]] < most {
				p.link(pair)
			}
		}
		low, step = high, 2*step
	}
}

// missing are the pairs that are not joined and at least low and less than high apart, nearest
// first.
func (p *plane) missing(low, high float64) (list [][2]int) {
	for i, a := range p.byX {
		for _, b := range p.byX[i+1:] {
			if p.x[b]-p.x[a] >= high {
				break
			}
			pair := [2]int{min(a, b), max(a, b)}
			if far := p.length(a, b); far >= low && far < high && !p.joined[pair] {
				list = append(list, pair)
			}
		}
	}
	slices.SortFunc(list, func(v, w [2]int) int { return cmp.Compare(p.length(v[0], v[1]), p.length(w[0], w[1])) })
	return list
}
