package sim

import "testing"

// TestSeedsThatFailed runs seeds again that once failed: of hosts that were cut off by rules of
// paths which had been left, and of links that were cut for less time than the monitor needed to
// look; of a tree that waited for a link which had been there for one strayed probe; of a host that
// moved while nobody could ask it, whose claim was forgotten; of a port that led to a switch
// without a session, behind which a host that had moved spoke; of a tree that was remembered as it
// was wanted, and not as a switch that could not be told went on to hold it; of a rule
// of an earlier instance that a dead session kept, where its pair's source came to be.
func TestSeedsThatFailed(t *testing.T) {
	for size, seeds := range map[*Size][]uint64{&Small: {3139, 20988, 21648, 22483, 60393, 70430, 902013, 910910, 912104},
		&WithIntents: {20130, 20426, 20996}} {
		for _, seed := range seeds {
			for _, s := range Run(NewPlan(seed, *size), nil).Wrong {
				t.Errorf("seed %d (%+v): %s", seed, *size, s)
			}
		}
	}
}
