//go:build real

package ofcase

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
)

// TestSameAgain: an Open vSwitch does the same when it is given the same case again, so it may be
// an oracle.
func TestSameAgain(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
				o := NewOVS(t, l, v)
				opt := Options{Groups: true, Meters: true, Waits: true, Mods: true, Addresses: o.Addresses()}
				begin, counts := time.Now(), map[string]int{}
				for seed := range uint64(60) {
					c := Generate(v, seed, opt)
					first := again(o, c, counts)
					second := again(o, c, counts)
					// it may have been late once
					for tries := 0; !slices.EqualFunc(first, second, slices.Equal) && tries < 2; tries++ {
						first, second = second, again(o, c, counts)
					}
					for i := range first {
						if !slices.Equal(first[i], second[i]) {
							t.Fatalf("%s\nstep %d: only the first time: %q\nonly the second: %q", c, i,
								without(first[i], second[i]),
								without(second[i], first[i]))
						}
					}
				}
				t.Logf("120 cases in %s: %v", time.Since(begin), counts)
			})
		})
	}
}

// again does a case and returns the lines of each step, and counts what kinds there are.
func again(o *OVS, c Case, counts map[string]int) (all [][]string) {
	o.Reset()
	for _, s := range c.Steps {
		out := o.Do(s)
		for range out.Sent {
			counts["sent"]++
		}
		for _, m := range out.Messages {
			if e, ok := m.(*openflow.ErrorMsg); ok {
				counts[e.Code.String()]++
			}
			counts[m.Type().String()]++
		}
		all = append(all, out.lines(s, nil))
	}
	return all
}
