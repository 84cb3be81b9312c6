package report

import (
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Spread is the median, the least and the greatest of some runs, and each of them in their order.
type Spread struct {
	Median   float64   `json:"median"`
	Least    float64   `json:"least"`
	Greatest float64   `json:"greatest"`
	Runs     []float64 `json:"runs"`
}

// Take adds runs, and sorts once.
func (s *Spread) Take(runs ...float64) {
	if len(runs) == 0 {
		return
	}
	s.Runs = append(s.Runs, runs...)
	sorted := slices.Sorted(slices.Values(s.Runs))
	n := len(sorted)
	s.Median, s.Least, s.Greatest = (sorted[(n-1)/2]+sorted[n/2])/2, sorted[0], sorted[n-1]
}

// Mean is the arithmetic mean of all runs.
func (s *Spread) Mean() float64 {
	sum := 0.0
	for _, v := range s.Runs {
		sum += v
	}
	return sum / float64(max(len(s.Runs), 1))
}

// Distribution is a histogram of times in microseconds: of all runs together.
type Distribution struct {
	Name  string  `json:"name"`
	What  string  `json:"what"` // from when to when
	Count int64   `json:"count"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p99.9"`
	Max   float64 `json:"max"`
	// Curve is the distribution's whole course, for plots.
	Curve []Quantile `json:"curve"`

	taken Histogram // what it is of, until the report is finished
}

// Quantile is a point of a distribution: of so many per cent the time is At or less, in
// microseconds.
type Quantile struct {
	Percent float64 `json:"percent"`
	At      float64 `json:"at"`
}

// Histograms keep times from 100 ns to 10 minutes with three digits: within 0.1 %.
const (
	latencyMin, latencyMax = 100, 600_000_000_000
	latencyDigits          = 3
)

// Histogram holds times in nanoseconds.
type Histogram struct{ *hdrhistogram.Histogram }

// NewHistogram is one without times.
func NewHistogram() Histogram {
	return Histogram{hdrhistogram.New(latencyMin, latencyMax, latencyDigits)}
}

// Record adds a time; one outside of what is kept counts as the least or the greatest that is.
func (h Histogram) Record(ns int64) {
	_ = h.RecordValue(min(max(ns, latencyMin), latencyMax)) // fails for other values only
}

// Merge adds the times of another histogram.
func (h Histogram) Merge(o Histogram) { h.Histogram.Merge(o.Histogram) }

// finish reads the histogram, if the distribution was not read from a file.
func (d *Distribution) finish() {
	h := d.taken
	if h.Histogram == nil {
		return
	}
	q := func(p float64) float64 { return float64(h.ValueAtQuantile(p)) / 1e3 }
	*d = Distribution{Name: d.Name, What: d.What, Count: h.TotalCount(), Mean: h.Mean() / 1e3, P50: q(50), P90: q(90),
		P99: q(99), P999: q(99.9), Max: float64(h.Max()) / 1e3}
	for _, p := range curvePercents(d.Count) {
		d.Curve = append(d.Curve, Quantile{Percent: p, At: q(p)})
	}
}

// curvePercents are where a curve has its points: the closer the nearer to all, as far as there are
// values beyond.
func curvePercents(count int64) []float64 {
	out := []float64{0}
	if count == 0 {
		return nil
	}
	for left := 100.0; left*float64(count) >= 100; {
		left /= 2
		out = append(out, 100-left*1.5, 100-left)
	}
	return append(out, 100)
}
