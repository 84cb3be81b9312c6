package loop

import "testing"

// TestWatchdog: who does no turn for WatchdogTimes questions hangs, until it does one; who does one now
// and then does not.
func TestWatchdog(t *testing.T) {
	var slow, stuck uint64
	var dog Watchdog
	dog.Add("slow", func() uint64 { return slow })
	dog.Add("stuck", func() uint64 { return stuck })
	for n := range 4 * WatchdogTimes {
		if n%WatchdogTimes == 0 {
			slow++
		}
		if hung := dog.Ask(); (hung != nil) != (n >= WatchdogTimes) || hung != nil && *hung != "stuck" {
			t.Fatalf("after %d questions: %v", n+1, hung)
		}
	}
	stuck++
	if hung := dog.Ask(); hung != nil {
		t.Errorf("%s, though it has done a turn", *hung)
	}
}
