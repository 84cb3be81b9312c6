package ofcase

import (
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// TestGenerate: a seed gives the same case again, whose messages are understood; and the entries of
// one table and priority that are added without a check for overlap have the same match, so that it
// is always said which entry counts.
func TestGenerate(t *testing.T) {
	opt := Options{
		Groups: true, Select: true, Meters: true, Odd: true, Waits: true, Mods: true, Addresses: make([][6]byte, Ports),
	}
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for seed := range uint64(300) {
			c := Generate(v, seed, opt)
			if again := Generate(v, seed, opt); c.String() != again.String() {
				t.Fatalf("seed %d: another case the second time:\n%s\n%s", seed, c, again)
			}
			first := map[[2]int]string{}
			for i, s := range c.Steps {
				if s.Wait%time.Millisecond != 0 || s.Message == nil {
					continue
				}
				_, m, err := openflow.Parse(s.Message)
				if err != nil {
					t.Errorf("%s\nstep %d: %v", c, i, err)
				}
				f, ok := m.(*openflow.FlowMod)
				if !ok || f.Command != openflow.FlowAdd {
					continue
				}
				at, match := [2]int{int(f.Table), int(f.Priority)}, f.Match.Canonical().String()
				if old, ok := first[at]; ok && old != match && f.Flags&openflow.FlagCheckOverlap == 0 {
					t.Errorf("%s\nstep %d: another match of table and priority %v: %s, was %s", c, i, at, match, old)
				}
				if old, ok := first[at]; ok && old != match {
					match = "several"
				}
				first[at] = match
			}
		}
	}
}
