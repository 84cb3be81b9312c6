package node

import (
	"testing"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
)

// TestForgottenAtAStepDown holds that what an instance said of its store when it was the owner is gone when it has stepped down,
// the disk too, which is told anew; what the store says of itself stays, and so does what it says before there are alarms again.
func TestForgottenAtAStepDown(t *testing.T) {
	board := func() (*alarm.Board, func(netview.AlarmKind) []string) {
		v := netview.New(netview.Limits{})
		b := alarm.New(v) // nothing runs it: each look is a turn
		return b, func(kind netview.AlarmKind) (objects []string) {
			b.Turn()
			for a := range v.Snapshot().Alarms() {
				if a.Active && a.Kind == kind {
					objects = append(objects, a.Object)
				}
			}
			return objects
		}
	}
	var s storeState
	first, of := board()
	s.join(first)
	s.say("", "the disk is full")
	s.say("intents", "another instance has taken the journal")
	s.slow("a synchronisation has not ended for 2 s")
	if got := of(netview.AlarmStore); len(got) != 2 || len(of(netview.AlarmSlowDisk)) != 1 {
		t.Fatalf("alarms of %q, and of the disk %q", got, of(netview.AlarmSlowDisk))
	}
	s.forget()
	if got := s.trouble(); got != "the disk is full" {
		t.Errorf("trouble %q, want what the store says", got)
	}
	s.say("", "the disk is fuller")
	second, of := board()
	s.join(second)
	if got := of(netview.AlarmStore); len(got) != 1 || got[0] != "" {
		t.Errorf("alarms of %q, want that of the store alone", got)
	}
	if got := of(netview.AlarmSlowDisk); len(got) != 0 {
		t.Errorf("an alarm of the disk %q, of which nothing was said since", got)
	}
	if s.say("", ""); s.trouble() != "" || len(of(netview.AlarmStore)) != 0 {
		t.Errorf("when all is well: %q, %q", s.trouble(), of(netview.AlarmStore))
	}
}
