package topo

import "testing"

func TestSumTellsTopologiesApart(t *testing.T) {
	sums := map[uint32]string{}
	for _, words := range []string{"ring:8", "linear:8", "linear:4", "ring:8,hosts=2", "ring:8,hosts=0", "torus:3x3", "full:8"} {
		a, err := Load(words, 1)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := Load(words, 1); a.Sum() != b.Sum() {
			t.Errorf("%s: %x and %x", words, a.Sum(), b.Sum())
		}
		if other, twice := sums[a.Sum()]; twice {
			t.Errorf("%s and %s have the same sum", words, other)
		}
		sums[a.Sum()] = words
	}
}
