package probes

import (
	"testing"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
)

// TestSuspicionForgetsNoProbe: with any period, a port that is probed as often as suspicion allows
// remembers those probes of the last two periods, which may still be heard.
func TestSuspicionForgetsNoProbe(t *testing.T) {
	for _, period := range []time.Duration{100 * time.Millisecond, 2 * time.Second, 20 * time.Second, time.Minute} {
		b := &Prober{Pace: &Pace{Period: period}}
		if pause := b.suspectPause(); pause < suspectWait || time.Duration(len(inventory.SentProbes{}))*pause < 2*period {
			t.Errorf("period %v: a probe each %v", period, pause)
		}
	}
}
