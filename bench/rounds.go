package bench

import (
	"context"
	"fmt"
	"github.com/weirnet/weir/bench/report"
)

// participant is what a scenario measures of one of those that it measures alternately, in all
// runs: an instance, the null instance, or one way to measure an instance.
type participant interface {
	results() []*report.Result
	run(ctx context.Context, i int) error // the i-th run: what it measured is in the results
	finish()                              // adds what is of all runs together to the results
}

// compare has each contender run, alternately, and finishes the report. One that fails is refused,
// and the others go on; the error is that of an interruption.
func compare[C participant](ctx context.Context, r *report.Report, list []C) (*report.Report, error) {
	if err := rounds(ctx, r.Load.Runs, list); err != nil {
		return nil, err
	}
	for _, c := range list {
		if c.results()[0].Refused == "" {
			c.finish()
		}
	}
	r.Finish()
	r.ApplySelfChecks()
	return r, nil
}

func rounds[C participant](ctx context.Context, runs int, list []C) error {
	for i := range runs {
		for _, c := range list {
			if c.results()[0].Refused != "" {
				continue
			}
			err := c.run(ctx, i)
			switch {
			case err == nil:
			case ctx.Err() != nil:
				return &interrupted{i, runs, ctx.Err()}
			default:
				for _, x := range c.results() {
					x.Refuse(fmt.Errorf("run %d: %w", i+1, err))
				}
			}
		}
	}
	return nil
}

// subject is the result of a contender that has one.
type subject struct{ result *report.Result }

func (s *subject) results() []*report.Result { return []*report.Result{s.result} }
