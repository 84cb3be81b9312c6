//go:build real

package flowtable_test

import (
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
)

// TestOpenvSwitchDoesTheSame gives the same generated cases to a Switch and to an Open vSwitch: the
// same frames leave the same ports, and the controller is told the same, but for what
// docs/spec/flowtable-oracle.md lists.
func TestOpenvSwitchDoesTheSame(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
				oracle := ofcase.NewOVS(t, l, v)
				mine := &subject{t: t, v: v, ports: oracle.Ports()}
				compare(t, mine, oracle, ofcase.Options{Groups: true, Waits: true, Mods: true, Addresses: oracle.Addresses()})
				if v == openflow.V13 {
					compare(t, mine, oracle, ofcase.Options{Meters: true, Waits: true})
				}
				compare(t, mine, oracle, ofcase.Options{Groups: true, Down: true, Addresses: oracle.Addresses()})
				compare(t, mine, oracle, ofcase.Options{Normal: true, Waits: true, Mods: true, Addresses: oracle.Addresses()})
			})
		})
	}
}

// compare does cases to both switches and shows the shortest of each that differs, up to five.
// Differences that are known are counted. One that does not come again fails too: nothing here
// depends on time, since Open vSwitch's clock stands still.
func compare(t *testing.T, mine *subject, oracle *ofcase.OVS, opt ofcase.Options) {
	begin, seed, known := time.Now(), uint64(0), map[string]int{}
	for failed := 0; seed < oracleCases && failed < 5; seed++ {
		c := ofcase.Generate(mine.v, seed, opt)
		first := ofcase.Compare(c, mine, oracle, ofcase.OVSMasks...)
		if first == nil {
			continue
		}
		if name := first.Among(ofcase.OVSKnown); name != "" {
			known[name]++
			continue
		}
		failed++
		again := 0
		for range 5 {
			if ofcase.Compare(c, mine, oracle, ofcase.OVSMasks...) != nil {
				again++
			}
		}
		small, d := c, first
		if again == 5 {
			if s, e := ofcase.Shrink(c, mine, oracle, ofcase.OVSMasks...); e != nil {
				small, d = s, e
			}
		}
		t.Errorf("seed %d, again in %d of 5 tries:\n%s%s", seed, again, small, d.Text("flowtable", "Open vSwitch"))
	}
	t.Logf("%d cases in %s; known differences: %v", seed, time.Since(begin).Round(time.Second), known)
}
