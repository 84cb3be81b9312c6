package liveness

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestLateness: one value stands for all delays, each halved every second.
func TestLateness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l lateness
		type late struct {
			d  time.Duration
			at time.Time
		}
		var all []late
		now := start
		for range rapid.IntRange(1, 30).Draw(t, "delays") {
			now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "after")) * ms)
			d := time.Duration(rapid.IntRange(0, 2000).Draw(t, "delay")) * ms
			l.add(d, now)
			all = append(all, late{d, now})
			most := 0.0
			for _, x := range all {
				most = max(most, float64(x.d)*math.Exp2(-now.Sub(x.at).Seconds()))
			}
			if got := l.now(now); math.Abs(float64(got)-most) > 1000 {
				t.Fatalf("%v, want %v", got, time.Duration(most))
			}
		}
	})
}
