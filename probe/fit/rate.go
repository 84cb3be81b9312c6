package fit

import (
	"fmt"
	"math"
	"time"

	"github.com/weirnet/weir/emu/profile"
)

// Burst is packets that were sent one after the other, and how many of them got through.
type Burst struct {
	Sent, Done int
	Over       time.Duration // from the first's sending to the last's
	Took       time.Duration // from the first's sending until the switch had done with all; 0: not known
}

// Lost reports whether more got lost than a few by accident.
func (b *Burst) Lost() bool { return b.Sent-b.Done > max(b.Sent/100, 1) }

// slow reports whether the switch took longer than the packets took to come, for the rate and not
// for a delay of all.
func (b *Burst) slow() bool { return b.Took > b.Over+b.Over/2 && b.Took > b.Over+time.Millisecond/2 }

const minBursts = 3

// Rate finds the rate of a narrow way and how many wait for it.
func Rate(part string, bursts []Burst) (profile.Rate, Quality, error) {
	var lossy, slow []sample
	backlog, offered, fewest, greatest, through := 0, 0.0, math.Inf(1), 0.0, 0.0
	for i := range bursts {
		b := &bursts[i]
		if b.Over > 0 {
			offered = max(offered, float64(b.Sent)/b.Over.Seconds())
		}
		switch done := float64(b.Done); {
		case b.Lost() && b.Done > 0:
			lossy = append(lossy, sample{u: 1, v: b.Over.Seconds(), y: done, whole: done, spread: math.Sqrt(done)})
			fewest, greatest = min(fewest, done), max(greatest, done)
			if b.Over > 0 && done == greatest {
				through = done / b.Over.Seconds()
			}
		case !b.Lost() && b.slow():
			took := b.Took.Seconds()
			slow = append(slow, sample{u: 1, v: float64(b.Sent), y: took, whole: took, sigma: timeSigma(b.Took)})
			backlog = max(backlog, b.Sent)
		}
	}
	switch {
	case len(lossy) >= minBursts:
		for i := range lossy { // the same of all: one that fell short by accident must not weigh more
			lossy[i].sigma = max(1, precision*greatest)
		}
		r, q, err := lossyRate(part, lossy, fewest)
		if err != nil {
			err = fmt.Errorf("%w; %.0f packets/s came through at most", err, through)
		}
		return r, q, err
	case len(slow) >= minBursts:
		return slowRate(part, slow, backlog)
	case len(lossy)+len(slow) > 0 || len(bursts) < minBursts:
		return profile.Rate{}, Quality{Points: len(lossy) + len(slow)}, fmt.Errorf(
			"%s: %w: %d of %d bursts were too much for the switch, want %d", part, ErrTooFew, len(lossy)+len(slow),
			len(bursts), minBursts)
	}
	return profile.Rate{}, Quality{Points: len(bursts)}, fmt.Errorf("%s: %w: none was lost or late at %.0f packets/s", part,
		ErrNoLimit, offered)
}

// lossyRate is of bursts that were too much for the way's queue.
func lossyRate(part string, samples []sample, fewest float64) (profile.Rate, Quality, error) {
	samples = withoutOutliers(samples)
	m := nearest(samples)
	q, err := m.judge(samples)
	if err != nil {
		return profile.Rate{}, q, fmt.Errorf("%s: %w", part, err)
	}
	if m.q == 0 {
		return profile.Rate{}, q, fmt.Errorf(
			"%s: %w: longer bursts did not bring more through than the shortest, of which %.0f came", part, ErrNoFit, fewest)
	}
	queue := min(max(int(math.Round(m.p))-1, 0), profile.MaxQueue)
	return profile.Rate{PerSecond: perSecond(1 / m.q), Queue: queue, Source: profile.Measured}, q, nil
}

// slowRate is of bursts that got through as a whole, in a time that grows with their size.
func slowRate(part string, samples []sample, backlog int) (profile.Rate, Quality, error) {
	samples = withoutOutliers(samples)
	m := nearest(samples)
	q, err := m.judge(samples)
	q.AtLeast = true
	if err == nil && perSecond(m.q) == 0 {
		err = fmt.Errorf("%w: larger bursts did not take longer", ErrNoFit)
	}
	if err != nil {
		return profile.Rate{}, q, fmt.Errorf("%s: %w", part, err)
	}
	return profile.Rate{PerSecond: perSecond(m.q), Queue: min(backlog, profile.MaxQueue), Source: profile.Measured}, q, nil
}
