package host

import (
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// latency is a distribution of times. Count, extremes and mean are exact. Quantiles are exact up to
// exactSamples times, then those of a histogram of 3 KiB whose steps are 1/16 of the value, from
// 1 µs to one minute.
type latency struct {
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

func (l *latency) record(d time.Duration) {
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
	l.histogram = hdrhistogram.New(int64(latencyUnit), int64(latencyMax), latencyDigits)
	for _, d := range l.exact {
		l.histogram.RecordValue(bounded(d))
	}
	l.exact = nil
}

func bounded(d time.Duration) int64 { return int64(min(d, latencyMax)) }

// quantile is the q-quantile of one or more times, q from 0 to 1.
func (l *latency) quantile(q float64) time.Duration {
	if l.histogram != nil {
		return min(max(time.Duration(l.histogram.ValueAtQuantile(q*100)), l.min), l.max)
	}
	sorted := slices.Sorted(slices.Values(l.exact))
	at := int(q*float64(len(sorted)) + 0.999999)
	return sorted[min(max(at-1, 0), len(sorted)-1)]
}

// Summary is a distribution of times in a few numbers; all are 0 where nothing was recorded.
type Summary struct {
	Count         uint64
	Min, Mean     time.Duration
	P50, P90, P99 time.Duration
	Max           time.Duration
}

func (l *latency) summary() Summary {
	if l.count == 0 {
		return Summary{}
	}
	return Summary{Count: l.count, Min: l.min, Mean: l.sum / time.Duration(l.count),
		P50: l.quantile(0.5), P90: l.quantile(0.9), P99: l.quantile(0.99), Max: l.max}
}
