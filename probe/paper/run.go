package paper

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/report"
)

// Bed measures a run of a point. What spoils the point only is in the result; the error is of what
// spoils every point: an interface, the switch's connection, an interruption.
type Bed interface {
	Measure(ctx context.Context, p Point) (*report.Result, error)
}

// Run measures what the store does not have of some points, a run after the other, and keeps each.
// What was refused is measured again if that is asked for. note is told of each run.
func (s *Store) Run(ctx context.Context, bed Bed, points []Point, again bool, note func(format string, args ...any)) error {
	if again {
		for _, p := range points {
			if k := s.of(p); k != nil && k.Result.Refused != "" {
				s.forget(p)
			}
		}
	}
	for _, p := range points {
		for !s.over(p) {
			x, err := bed.Measure(ctx, p)
			if err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
			k := s.take(p, x, time.Now().UTC().Format(time.RFC3339))
			if err := s.save(); err != nil {
				s.forget(p) // as far as it is told what is kept
				return fmt.Errorf("%s: a run that is over was not kept: %w", p, err)
			}
			if k.Result.Refused != "" {
				note("%s: no result: %s", p, k.Result.Refused)
			} else {
				note("%s: run %d of %d is kept", p, k.Runs, s.Parameters.runs(p.Kind))
			}
		}
	}
	return nil
}

// Progress is how many of some points are over.
func (c *Campaign) Progress(points []Point) (over int) {
	for _, p := range points {
		if c.over(p) {
			over++
		}
	}
	return over
}

// Takes is about how long what is not over takes: the time of streams, and a second for each run.
func (c *Campaign) Takes(points []Point) (d time.Duration) {
	for _, p := range points {
		if c.over(p) {
			continue
		}
		left := c.Parameters.runs(p.Kind)
		if k := c.of(p); k != nil {
			left -= k.Runs
		}
		each := time.Second
		if p.Kind == TCP || p.Kind == UDP {
			each += c.Parameters.transfer()
		}
		d += time.Duration(left) * each
	}
	return d
}
