package calibration

import (
	"math"
	"slices"
)

// z95 is how many standard deviations from the mean 95 in 100 values of a normal distribution are.
const z95 = 1.96

// minForMargin is how many values tell how well their median is known.
const minForMargin = 10

// medianError is the standard error of the logarithm of the runs' median, by their order alone; 0 where it is not
// known: too few values, or some that are no times.
func medianError(runs []float64) float64 {
	n := len(runs)
	if n < minForMargin {
		return 0
	}
	sorted := slices.Sorted(slices.Values(runs))
	off := z95 * math.Sqrt(float64(n)) / 2
	low, high := sorted[max(int(float64(n)/2-off), 0)], sorted[min(int(math.Ceil(float64(n)/2+off)), n-1)]
	if !(low > 0) || math.IsInf(high, 0) {
		return 0
	}
	return math.Log(high/low) / (2 * z95)
}

// margin is how far the ratio may be from the true one, with 95 % confidence; 0 where that is not known.
func (r *Row) margin() float64 {
	want, seen := medianError(r.Want.Runs), medianError(r.Seen.Runs)
	if want == 0 || seen == 0 || r.Ratio <= 0 {
		return 0
	}
	return r.Ratio * math.Expm1(z95*math.Hypot(want, seen))
}

// undecided reports whether more turns may tell on which side of the limit the ratio is: what the controller
// sees is measured in the first one only.
func (r *Row) undecided() bool {
	if r.Name != PathLatency && r.Name != FlowSetup || r.Mark != Within && r.Mark != Beyond || r.Margin == 0 {
		return false
	}
	return math.Abs(math.Abs(r.Ratio-1)-MaxOff) < r.Margin
}

// undecided reports whether any row is.
func (c *Comparison) undecided() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.undecided() })
}
