package fit

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/weirnet/weir/emu/profile"
)

// minSizes is how many different sizes tell an install rate from a delay.
const minSizes = 4

// Install finds how entries come into force: each point is how long so many entries and a barrier
// after them took. That of 0 entries is the round trip of a barrier, which is in all others.
func Install(points []Timed) (profile.Install, Quality, error) {
	none := slices.IndexFunc(points, func(t Timed) bool { return t.N == 0 && len(t.Took) > 0 })
	var sized []Timed
	most := 0
	for _, t := range points {
		if t.N > 0 && len(t.Took) > 0 {
			sized, most = append(sized, t), max(most, t.N)
		}
	}
	if none < 0 || len(sized) < minSizes {
		return profile.Install{}, Quality{}, fmt.Errorf(
			"install: %w: %d sizes of batches given, want %d and a barrier with nothing before it", ErrTooFew, len(sized), minSizes)
	}
	base := points[none].Median()
	i, m, samples := bestInstall(sized, base, most)
	q, err := m.judge(samples)
	if err != nil {
		return profile.Install{}, q, fmt.Errorf("install: %w", err)
	}
	return i, q, nil
}

// bestInstall tries all sizes of batches, and none: a delay of each batch is said only where it
// explains what a rate alone does not.
func bestInstall(sized []Timed, base time.Duration, most int) (profile.Install, model, []sample) {
	simple := installSamples(sized, base, 0)
	line := nearest(simple)
	best, samples, batch := line, simple, 0
	for b := 1; b < max(most, 2); b++ {
		s := installSamples(sized, base, b)
		if m := nearest(s); m.sum < best.sum-1e-9 {
			best, samples, batch = m, s, b
		}
	}
	if best.sum > line.sum/2 || line.sum < float64(len(sized)) {
		best, samples, batch = line, simple, 0
	}
	i := profile.Install{PerSecond: perSecond(best.q), Source: profile.Measured}
	if delay := seconds(best.p); batch > 0 && delay > 0 {
		i.Batch, i.Delay = batch, delay
	}
	return i, best, samples
}

// installSamples are the points of the model of one size of batches; 0 stands for no delay of any.
func installSamples(sized []Timed, base time.Duration, batch int) []sample {
	out := make([]sample, len(sized))
	for i := range sized {
		out[i] = timedSample(&sized[i], base, float64(batches(sized[i].N, batch)), float64(sized[i].N))
	}
	return out
}

// batches is in how many n entries come into force that are sent at once: the first alone.
func batches(n, batch int) int {
	if batch == 0 {
		return 0
	}
	return 1 + (n-1+batch-1)/batch
}

// perSecond is the rate of a time for each, with three digits; 0, which is none, where it is above
// what a profile can say.
func perSecond(each float64) float64 {
	if each*profile.MaxPerSecond <= 1 {
		return 0
	}
	digits := math.Pow(10, 2-math.Floor(math.Log10(1/each)))
	return math.Round(digits/each) / digits
}

// seconds is a time, to the microsecond.
func seconds(s float64) time.Duration {
	return min(time.Duration(s*float64(time.Second)).Round(time.Microsecond), profile.MaxDelay)
}
