package sim

import "testing"

// TestSeedsThatFailed runs seeds again that once failed: of hosts that were cut off by rules of paths which had been left, and of links
// that were cut for less time than the witness needed to look; of a tree that waited for a link which had been there for one strayed probe.
func TestSeedsThatFailed(t *testing.T) {
	for size, seeds := range map[*Size][]uint64{&Small: {20988, 21648, 22483, 60393}, &Asking: {20130, 20426, 20996}} {
		for _, seed := range seeds {
			for _, s := range Run(NewPlan(seed, *size), nil).Wrong {
				t.Errorf("seed %d (%+v): %s", seed, *size, s)
			}
		}
	}
}
