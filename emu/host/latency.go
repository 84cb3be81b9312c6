package host

import (
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latency is a distribution of times. Count, extremes and mean are exact. Quantiles are exact up to
// exactSamples times, then those of a histogram of 3 KiB whose steps are 1/16 of the value, from 1
// µs to one minute.
type Latency struct {
	count     uint64
	sum       time.Duration
	min, max  time.Duration
	exact     []time.Duration
	histogram *hdrhistogram.Histogram // in place of exact, after more than exactSamples
}

const (
	exactSamples  = 32
	latencyUnit   = time.Microsecond
	latencyMax    = time.Minute
	latencyDigits = 1
)

func (l *Latency) record(d time.Duration) {
	d = max(d, 0)
	if l.count == 0 || d < l.min {
		l.min = d
	}
	l.max = max(l.max, d)
	l.count++
	l.sum += d
	if l.histogram != nil {
		l.histogram.RecordValue(bounded(d))
		return
	}
	if l.exact = append(l.exact, d); len(l.exact) <= exactSamples {
		return
	}
	l.toHistogram()
}

func bounded(d time.Duration) int64 { return int64(min(d, latencyMax)) }

// Count is the number of recorded times.
func (l *Latency) Count() uint64 { return l.count }

// Min is the shortest time, 0 if there is none.
func (l *Latency) Min() time.Duration { return l.min }

// Max is the longest time, 0 if there is none.
func (l *Latency) Max() time.Duration { return l.max }

// Mean is the arithmetic mean, 0 without any.
func (l *Latency) Mean() time.Duration {
	if l.count == 0 {
		return 0
	}
	return l.sum / time.Duration(l.count)
}

// Quantile is the q-quantile, q from 0 to 1; 0 without any times.
func (l *Latency) Quantile(q float64) time.Duration {
	if l.histogram != nil {
		return min(max(time.Duration(l.histogram.ValueAtQuantile(q*100)), l.min), l.max)
	}
	if len(l.exact) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(l.exact))
	at := int(q*float64(len(sorted)) + 0.999999)
	return sorted[min(max(at-1, 0), len(sorted)-1)]
}

// Add merges other into l.
func (l *Latency) Add(other *Latency) {
	if other.count == 0 {
		return
	}
	count, sum := l.count+other.count, l.sum+other.sum
	low, high := other.min, max(l.max, other.max)
	if l.count > 0 {
		low = min(low, l.min)
	}
	for _, d := range other.exact {
		l.record(d)
	}
	if other.histogram != nil {
		l.toHistogram()
		l.histogram.Merge(other.histogram)
	}
	l.count, l.sum, l.min, l.max = count, sum, low, high
}

// toHistogram moves the exact times into a histogram.
func (l *Latency) toHistogram() {
	if l.histogram != nil {
		return
	}
	l.histogram = hdrhistogram.New(int64(latencyUnit), int64(latencyMax), latencyDigits)
	for _, d := range l.exact {
		l.histogram.RecordValue(bounded(d))
	}
	l.exact = nil
}

// Summary is a Latency in a few numbers; all are 0 where nothing was recorded.
type Summary struct {
	Count         uint64
	Min, Mean     time.Duration
	P50, P90, P99 time.Duration
	Max           time.Duration
}

// Summary is the distribution in a few numbers.
func (l *Latency) Summary() Summary {
	return Summary{Count: l.Count(), Min: l.Min(), Mean: l.Mean(), P50: l.Quantile(0.5), P90: l.Quantile(0.9),
		P99: l.Quantile(0.99), Max: l.Max()}
}
