package fit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Reasons why there is no figure.
var (
	// ErrTooFew refuses samples that cannot tell the figures apart.
	ErrTooFew = errors.New("too few samples")
	// ErrNoFit refuses samples that the model is too far from.
	ErrNoFit = errors.New("the model does not fit")
	// ErrNoLimit says that nothing was found to be limited.
	ErrNoLimit = errors.New("no limit was met")
)

// MaxResidual is how far samples may be from the model, beyond what they are from each other, as a
// share of what was measured (root mean square).
const MaxResidual = 0.1

// Quality is how well a model fits.
type Quality struct {
	Points   int     `json:"points"`   // sizes or bursts that the figures are from; 0: they were counted
	Residual float64 `json:"residual"` // of the points from the model, as a share of what was measured (root mean square)
	AtLeast  bool    `json:"at_least"` // the queue is at least what the figure says: no more was tried, and none was lost
}

// Timed is how long so many of something took, each time that it was tried.
type Timed struct {
	N    int
	Took []time.Duration
}

// Median is that of the times.
func (t *Timed) Median() time.Duration { return quantile(t.Took, 0.5) }

// quantile is the time that a share of the list is not above; 0 of an empty list.
func quantile(list []time.Duration, share float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(list))
	at := share * float64(len(s)-1)
	low := int(at)
	high := min(low+1, len(s)-1)
	return s[low] + time.Duration((at-float64(low))*float64(s[high]-s[low]))
}

// resolution is the least spread of a time on any machine, and precision that of any figure as a
// share of it: no sample weighs more than one with these.
const (
	resolution = 20 * time.Microsecond
	precision  = 0.01
)

// sample is a point of a model y = p·u + q·v.
type sample struct {
	u, v, y float64
	whole   float64 // what was measured, of which y is a part
	spread  float64 // of y: as far from the model it is no reason to doubt it
	sigma   float64 // how far y may be from the model by chance
}

// timedSample is one of a list of times, y being what they are longer than base.
func timedSample(t *Timed, base time.Duration, u, v float64) sample {
	median := t.Median()
	half := (quantile(t.Took, 0.9) - quantile(t.Took, 0.1)) / 2
	sigma := timeSigma(median)
	return sample{u: u, v: v, y: (median - base).Seconds(), whole: median.Seconds(),
		spread: max(half.Seconds(), chance*sigma), sigma: sigma}
}

// chance is how many sigma a time may be off.
const chance = 3

// timeSigma is how far a time may be from the model by chance.
func timeSigma(d time.Duration) float64 { return max(resolution.Seconds(), precision*d.Seconds()) }

// model is p and q, and how far samples are from them.
type model struct {
	p, q float64
	sum  float64 // of the squares of the distances, each in terms of its sample's sigma
}

func (m *model) distance(s *sample) float64 { return s.y - m.p*s.u - m.q*s.v }

// nearest finds p and q, neither below 0, with which the samples have the least sum.
func nearest(samples []sample) model {
	var uu, uv, vv, uy, vy float64
	for i := range samples {
		s := &samples[i]
		w := 1 / (s.sigma * s.sigma)
		uu, uv, vv = uu+w*s.u*s.u, uv+w*s.u*s.v, vv+w*s.v*s.v
		uy, vy = uy+w*s.u*s.y, vy+w*s.v*s.y
	}
	candidates := []model{{p: ratio(uy, uu)}, {q: ratio(vy, vv)}}
	if det := uu*vv - uv*uv; det > 1e-9*uu*vv {
		candidates = append(candidates, model{p: (uy*vv - vy*uv) / det, q: (vy*uu - uy*uv) / det})
	}
	best := model{sum: math.Inf(1)}
	for _, c := range candidates {
		if c.p < 0 || c.q < 0 {
			continue
		}
		for i := range samples {
			d := c.distance(&samples[i]) / samples[i].sigma
			c.sum += d * d
		}
		if c.sum < best.sum {
			best = c
		}
	}
	return best
}

// ratio is a quotient that is not below 0; 0 where there is none.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return max(a/b, 0)
}

// judge says how well a model fits, or refuses it.
func (m *model) judge(samples []sample) (Quality, error) {
	var all, beyond float64
	worst := &samples[0]
	for i := range samples {
		s := &samples[i]
		share, excess := m.share(s), max(math.Abs(m.distance(s))-s.spread, 0)/s.whole
		all, beyond = all+share*share, beyond+excess*excess
		if share > m.share(worst) {
			worst = s
		}
	}
	n := float64(len(samples))
	q := Quality{Points: len(samples), Residual: math.Sqrt(all / n)}
	if r := math.Sqrt(beyond / n); r > MaxResidual {
		return q, fmt.Errorf("%w: it is %.0f %% from %d points, %.0f %% from the worst of them, want at most %.0f %%",
			ErrNoFit, 100*r, len(samples), 100*m.share(worst), 100*MaxResidual)
	}
	return q, nil
}

// share is how far a sample is from the model, of what was measured.
func (m *model) share(s *sample) float64 { return math.Abs(m.distance(s)) / s.whole }

// withoutOutliers leaves out the samples that are far from the model of the others, a third of them
// at most.
func withoutOutliers(samples []sample) []sample {
	for range len(samples) / 3 {
		m := nearest(samples)
		far := func(s *sample) float64 { return math.Abs(m.distance(s)) / s.sigma }
		sorted := slices.SortedFunc(slices.Values(samples), func(a, b sample) int { return cmp.Compare(far(&a), far(&b)) })
		last := len(sorted) - 1
		if far(&sorted[last]) < 3 {
			return samples
		}
		rest := nearest(sorted[:last])
		if rest.sum > m.sum/4 {
			return samples
		}
		samples = sorted[:last]
	}
	return samples
}
