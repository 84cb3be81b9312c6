package control

import (
	"context"
	"time"
)

// Run runs the schedule's events at their times, until ctx is done. It is called once.
func (d *Operator) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.added:
		case <-timer.C:
		}
		if next, ok := d.runDue(); ok {
			timer.Reset(next - d.net.Age())
		}
	}
}

// pollPeriod is the time between two looks at a command that somebody waits for.
const pollPeriod = 5 * time.Millisecond

// Await waits until the command or ctx is done, and returns the outcome so far.
func (c *Command) Await(ctx context.Context) Outcome {
	tick := time.NewTicker(pollPeriod)
	defer tick.Stop()
	for {
		if o := c.Outcome(); o.Done {
			return o
		}
		select {
		case <-ctx.Done():
			return c.Outcome()
		case <-tick.C:
		}
	}
}
