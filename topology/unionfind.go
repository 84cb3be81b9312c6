package topology

// UnionFind is a partition of switches, by number, into connected sets (union-find with path
// halving). The zero value is empty.
type UnionFind struct{ up []int32 }

// Reset makes each of the switches 0 to n-1 a set of its own.
func (j *UnionFind) Reset(n int) {
	if cap(j.up) < n {
		j.up = make([]int32, n)
	}
	j.up = j.up[:n]
	for i := range j.up {
		j.up[i] = int32(i)
	}
}

// Union merges the sets of two switches, and reports whether they were different.
func (j *UnionFind) Union(a, b int32) bool {
	ra, rb := j.root(a), j.root(b)
	j.up[ra] = rb
	return ra != rb
}

func (j *UnionFind) root(x int32) int32 {
	for j.up[x] != x {
		j.up[x] = j.up[j.up[x]]
		x = j.up[x]
	}
	return x
}
