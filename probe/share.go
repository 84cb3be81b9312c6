package probe

import (
	"fmt"
	"time"
)

// Share is what the probe itself adds to a path latency: what it finds of a cable in place of the
// path.
type Share struct {
	Median time.Duration
	Spread time.Duration // between a tenth of the samples and nine tenths of them
	Count  int
}

// ShareOf sums the path latencies of a cable up.
func ShareOf(samples []time.Duration) Share {
	return Share{Median: Median(samples), Spread: Quantile(samples, 0.9) - Quantile(samples, 0.1), Count: len(samples)}
}

// Both is the share of two machines, one at each end: of a path latency each takes half of its own
// stamps, of one packet sent and one received. The spread is the larger one.
func Both(a, b Share) Share {
	return Share{Median: (a.Median + b.Median) / 2, Spread: max(a.Spread, b.Spread), Count: min(a.Count, b.Count)}
}

// Off takes the share off a path latency, which is then 0 at least.
func (s Share) Off(d time.Duration) time.Duration { return max(d-s.Median, 0) }

// least is how many spreads a result has to have.
const least = 2

// Check refuses a result, of which the share was taken off, that is not above the share's spread.
func (s Share) Check(median time.Duration) error {
	if median >= least*s.Spread {
		return nil
	}
	return &Refusal{Why: ErrSpread,
		Seen: fmt.Sprintf("%v, with a spread of %v of the probe's own", Shown(median), Shown(s.Spread)),
		Want: fmt.Sprintf("%v or more", Shown(least*s.Spread)), Do: "measure on a machine that does nothing else, or with more probes"}
}

// Shown is a time without digits that say nothing.
func Shown(d time.Duration) time.Duration { return d.Round(100 * time.Nanosecond) }
