//go:build real && long

package netlab

import (
	"fmt"
	"testing"
)

// TestIdentitiesBesideEachOther: the same with two cables between the switches, where a rule that
// sends into the wrong one of them would have packets circle; and two changes at a time, at two
// switches.
func TestIdentitiesBesideEachOther(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		for _, parallel := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s/%d cables", version, parallel), func(t *testing.T) {
				t.Parallel()
				Inside(t, func(t *testing.T, l *Lab) {
					r := reshape(l, version, parallel)
					if parallel > 1 {
						for _, way := range ways {
							r.does(way)
						}
					}
					for _, other := range elsewhere {
						for i, way := range ways {
							r.does(both(way, other[i%2]))
						}
						r.does(other[1])
					}
				})
			})
		}
	}
}

// elsewhere are changes at the other two switches, each with the one that takes it back.
var elsewhere = [][2]way{
	{{"two far cables swap", func(r *reshaped) { r.number("s2-p2", 3, "s2-p3", 2) }, true},
		{"two far cables swap back", func(r *reshaped) { r.number("s2-p2", 2, "s2-p3", 3) }, true}},
	{{"a far host's port swaps with a cable's", func(r *reshaped) { r.number("h2-sw", 3, "s2-p3", 1) }, true},
		{"a far host's port swaps back", func(r *reshaped) { r.number("h2-sw", 1, "s2-p3", 3) }, true}},
	{{"a far port gets another number", func(r *reshaped) { r.number("s3-p2", 9) }, true},
		{"a far port gets its own number", func(r *reshaped) { r.number("s3-p2", 2) }, true}},
}

// both is two changes, one right after the other.
func both(a, b way) way {
	return way{a.name + ", " + b.name, func(r *reshaped) {
		a.do(r)
		b.do(r)
	}, true}
}
