package delay

import (
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// TestEachSetupDrawsItsOwnChance: packets of a flow that is being set up have the same chance; the next
// set-up of the flow has another one, however soon it comes.
func TestEachSetupDrawsItsOwnChance(t *testing.T) {
	var s setups
	begin := func(at time.Duration, chance float64) *setup {
		x := s.begin(setup{buffer: openflow.NoBuffer, sum: 7, flow: 1, arrival: arrival{at, chance}},
			func(chance float64) time.Duration { return at + time.Duration(chance*float64(time.Millisecond)) })
		x.sent = at
		return x
	}
	const first = time.Second
	begin(first, 3)
	if x := begin(first+time.Millisecond, 0.5); x.chance != 3 || x.due < first+3*time.Millisecond {
		t.Errorf("beside one in flight: chance %v, due %v", x.chance, x.due)
	}
	for i := range s.list { // the controller answers both
		s.list[i].sum = 0
	}
	if x := begin(first, 0.5); x.chance != 3 {
		t.Errorf("a fragment of the same packet: chance %v", x.chance)
	} else {
		x.sum = 0
	}
	if x := begin(first+100*time.Millisecond, 0.5); x.chance != 0.5 {
		t.Errorf("the next set-up: chance %v, want its own", x.chance)
	}
	if x := begin(first+200*time.Millisecond, 2); x.chance != 0.5 {
		t.Errorf("beside one that nobody has answered: chance %v", x.chance)
	}
}
