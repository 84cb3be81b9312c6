package node

import (
	"testing"
)

// TestPulses: who does no turn for pulseTimes questions hangs, until it does one; who does one now
// and then does not.
func TestPulses(t *testing.T) {
	var slow, stuck uint64
	list := []*pulse{{name: "slow", turns: func() uint64 { return slow }}, {name: "stuck", turns: func() uint64 { return stuck }}}
	for n := range 4 * pulseTimes {
		if n%pulseTimes == 0 {
			slow++
		}
		if hung := hungPart(list); (hung != nil) != (n >= pulseTimes) || hung != nil && *hung != "stuck" {
			t.Fatalf("after %d questions: %v", n+1, hung)
		}
	}
	stuck++
	if hung := hungPart(list); hung != nil {
		t.Errorf("%s, though it has done a turn", *hung)
	}
}
