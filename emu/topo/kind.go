package topo

import "fmt"

func single(*builder, []int, uint64) []int { return nil }

func linear(b *builder, _ []int, _ uint64) []int {
	for i := 1; i < len(b.Switches); i++ {
		b.join(i-1, i)
	}
	return nil
}

// ring closes the chain where that is no second link between the same two.
func ring(b *builder, p []int, seed uint64) []int {
	linear(b, p, seed)
	if n := len(b.Switches); n > 2 {
		b.join(n-1, 0)
	}
	return nil
}

// maxFull keeps a full mesh within MaxLinks.
const maxFull = 1000

func full(b *builder, _ []int, _ uint64) []int {
	for y := range b.Switches {
		for x := range y {
			b.join(x, y)
		}
	}
	return nil
}

func treeSize(p []int) (int, error) {
	depth, fanout := p[0], p[1]
	if depth < 1 || fanout < 1 {
		return 0, fmt.Errorf("depth %d and fanout %d given, want both from 1 on, such as tree:3,2", depth, fanout)
	}
	n, level := 1, 1
	for range depth - 1 {
		if level > MaxSwitches/fanout || n+level*fanout > MaxSwitches {
			return 0, fmt.Errorf("depth %d and fanout %d given, which is more than %d switches: want fewer", depth,
				fanout, MaxSwitches)
		}
		level *= fanout
		n += level
	}
	return n, nil
}

// tree numbers switches level by level. The last level is its edge.
func tree(b *builder, p []int, _ uint64) (edges []int) {
	fanout := p[1]
	for i := 1; i < len(b.Switches); i++ {
		b.join((i-1)/fanout, i)
	}
	for _, i := range b.all() {
		if len(b.Switches) == 1 || i*fanout+1 >= len(b.Switches) {
			edges = append(edges, i)
		}
	}
	return edges
}

func torusSize(p []int) (int, error) {
	if p[0] < 1 || p[1] < 1 || p[0] > MaxSwitches/p[1] {
		return 0, fmt.Errorf("%d rows of %d given, want both from 1 on and at most %d switches, such as torus:4x4",
			p[0], p[1], MaxSwitches)
	}
	return p[0] * p[1], nil
}

// torus closes rows and columns of three or more; shorter ones are joined already.
func torus(b *builder, p []int, _ uint64) []int {
	rows, columns := p[0], p[1]
	at := func(r, c int) int { return r%rows*columns + c%columns }
	for r := range rows {
		for c := range columns {
			if c+1 < columns || columns > 2 {
				b.join(at(r, c), at(r, c+1))
			}
			if r+1 < rows || rows > 2 {
				b.join(at(r, c), at(r+1, c))
			}
		}
	}
	return nil
}

// maxFatTree keeps a fat-tree within MaxLinks: it has K³/2.
const maxFatTree = 100

func fatTreeSize(p []int) (int, error) {
	k := p[0]
	if k < 2 || k%2 != 0 || k > maxFatTree {
		return 0, fmt.Errorf("%d given for K, want an even number from 2 to %d, such as fattree:4", k, maxFatTree)
	}
	return 5 * k * k / 4, nil
}

// fatTree is the network of Al-Fares, Loukissas and Vahdat: the i-th aggregation switch of every
// pod is joined to the i-th group of K/2 core switches, and to all edge switches of its pod.
func fatTree(b *builder, p []int, _ uint64) (edges []int) {
	half := p[0] / 2
	for pod := range p[0] {
		first := half*half + pod*2*half
		for i := range half {
			for j := range half {
				b.join(i*half+j, first+i)
			}
		}
		for i := range half {
			for j := range half {
				b.join(first+i, first+half+j)
			}
			edges = append(edges, first+half+i)
		}
	}
	return edges
}
