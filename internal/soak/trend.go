package soak

import (
	"math"
	"slices"
)

// Sample is a measured value at a time, in seconds.
type Sample struct{ At, Value float64 }

// Rise fits a straight line to samples (least squares), and returns by how much it rises from the
// first to the last, with the standard error. The error is infinite for fewer than three samples.
func Rise(samples []Sample) (rise, err float64) {
	n := float64(len(samples))
	if n < 3 {
		return 0, math.Inf(1)
	}
	var x, y float64
	for _, s := range samples {
		x, y = x+s.At/n, y+s.Value/n
	}
	var xx, xy float64
	for _, s := range samples {
		xx, xy = xx+(s.At-x)*(s.At-x), xy+(s.At-x)*(s.Value-y)
	}
	if xx == 0 {
		return 0, math.Inf(1)
	}
	slope, left := xy/xx, 0.0
	for _, s := range samples {
		d := s.Value - y - slope*(s.At-x)
		left += d * d
	}
	span := samples[len(samples)-1].At - samples[0].At
	return slope * span, math.Sqrt(left/(n-2)/xx) * span
}

// Flat reports whether samples rise by no more than a bound, with a tolerance of twice the standard
// error.
func Flat(samples []Sample, bound float64) bool {
	rise, err := Rise(samples)
	return !math.IsInf(err, 1) && rise-2*err <= bound
}

// SecondHalf returns the samples of the second half of the time.
func SecondHalf(samples []Sample) []Sample {
	if len(samples) == 0 {
		return nil
	}
	middle := (samples[0].At + samples[len(samples)-1].At) / 2
	return samples[slices.IndexFunc(samples, func(s Sample) bool { return s.At >= middle }):]
}
