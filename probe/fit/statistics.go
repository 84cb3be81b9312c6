package fit

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/emu/profile"
)

// Statistics finds how long an answer with counters takes: each point is how long one with so many
// entries took, whose round trip, that of an empty barrier, is not the switch's.
func Statistics(points []Timed, roundTrip time.Duration) (profile.Statistics, Quality, error) {
	var samples []sample
	least, most := 0, 0
	for i := range points {
		t := &points[i]
		if len(t.Took) == 0 {
			continue
		}
		if len(samples) == 0 {
			least = t.N
		}
		least, most = min(least, t.N), max(most, t.N)
		samples = append(samples, timedSample(t, roundTrip, 1, float64(t.N)))
	}
	if len(samples) < 2 || most < 10*max(least, 1) {
		return profile.Statistics{}, Quality{}, fmt.Errorf(
			"statistics: %w: answers with %d to %d entries given, want several, the longest ten times the shortest",
			ErrTooFew, least, most)
	}
	m := nearest(samples)
	q, err := m.judge(samples)
	if err != nil {
		return profile.Statistics{}, q, fmt.Errorf("statistics: %w", err)
	}
	entry := time.Duration(m.q * float64(time.Second))
	return profile.Statistics{Delay: seconds(m.p), Entry: min(entry, profile.MaxDelay), Source: profile.Measured}, q, nil
}
