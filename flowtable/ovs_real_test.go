//go:build real

package flowtable_test

import (
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
)

// TestOpenvSwitchDoesTheSame gives the same generated cases to a Switch and to an Open vSwitch: the same frames leave the same
// ports, and the controller is told the same, but for what docs/spec/flowtable-oracle.md lists.
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
func compare(t *testing.T, mine *subject, oracle *ofcase.OVS, opt ofcase.Options) {
	begin, seed := time.Now(), uint64(0)
	for failed := 0; seed < oracleCases && failed < 5; seed++ {
		c := ofcase.Generate(mine.v, seed, opt)
		first := ofcase.Compare(c, mine, oracle, ofcase.OVSMasks...)
		if first == nil {
			continue
		}
		if ofcase.Compare(c, mine, oracle, ofcase.OVSMasks...) == nil { // Open vSwitch was late, which is nobody's fault
			t.Logf("not again: seed %d %s", seed, first.Text("flowtable", "Open vSwitch"))
			continue
		}
		failed++
		small, d := ofcase.Shrink(c, mine, oracle, ofcase.OVSMasks...)
		if d == nil {
			small, d = c, first
		}
		t.Errorf("%s%s", small, d.Text("flowtable", "Open vSwitch"))
	}
	t.Logf("%d cases in %s", seed, time.Since(begin).Round(time.Second))
}
