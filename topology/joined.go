package topology

// Joined are sets of switches, by number, that are joined already (union-find with path halving). The zero value knows none.
type Joined struct{ up []int32 }

// Reset takes the switches 0 to n-1 apart.
func (j *Joined) Reset(n int) {
	if cap(j.up) < n {
		j.up = make([]int32, n)
	}
	j.up = j.up[:n]
	for i := range j.up {
		j.up[i] = int32(i)
	}
}

// Join joins the sets of two switches, and tells whether they were apart.
func (j *Joined) Join(a, b int32) bool {
	ra, rb := j.root(a), j.root(b)
	j.up[ra] = rb
	return ra != rb
}

func (j *Joined) root(x int32) int32 {
	for j.up[x] != x {
		j.up[x] = j.up[j.up[x]]
		x = j.up[x]
	}
	return x
}
