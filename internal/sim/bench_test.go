package sim

import (
	"testing"
	"time"
)

// planOfFifty is the plan of a network of fifty switches.
func planOfFifty(seed uint64) *Plan {
	for ; ; seed++ {
		if p := NewPlan(seed, Size{Switches: 50, Events: 24, History: 40 * time.Second}); p.Switches == 50 {
			return p
		}
	}
}

// BenchmarkFifty simulates histories of fifty switches: simulated seconds in one second.
func BenchmarkFifty(b *testing.B) {
	p := planOfFifty(1)
	var lived time.Duration
	for b.Loop() {
		o := Run(p, nil)
		if len(o.Wrong) > 0 {
			b.Fatal(o.Wrong[0])
		}
		lived += o.Simulated
	}
	b.ReportMetric(lived.Seconds()/b.Elapsed().Seconds(), "simulated-s/s")
}
