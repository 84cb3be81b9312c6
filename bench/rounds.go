package bench

import (
	"context"
	"fmt"
)

// contender is one of those that a scenario of intents measures by turns: an instance, the null instance, or one way to measure an instance.
type contender struct {
	results []*Result
	run     func(ctx context.Context, i int) error // the i-th run: what it measured is in the results
}

// rounds has each contender run, by turns. One that fails is refused, and the others go on; the error is that of an interruption.
func rounds(ctx context.Context, runs int, list []contender) error {
	for i := range runs {
		for _, c := range list {
			if c.results[0].Refused != "" {
				continue
			}
			err := c.run(ctx, i)
			switch {
			case err == nil:
			case ctx.Err() != nil:
				return &interrupted{i, runs, ctx.Err()}
			default:
				for _, x := range c.results {
					x.refuse(fmt.Errorf("run %d: %w", i+1, err))
				}
			}
		}
	}
	return nil
}
