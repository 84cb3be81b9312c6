package desk

import (
	"context"
	"time"
)

// Run does what the agenda says, at its times, until ctx is done. One call of it is enough.
func (d *Desk) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.added:
		case <-timer.C:
		}
		if next, ok := d.happen(); ok {
			timer.Reset(next - d.net.Age())
		}
	}
}

// lookEvery is how often a command is looked at while somebody waits for it.
const lookEvery = 5 * time.Millisecond

// Await waits until the command is done, or ctx is, and tells what it has come to.
func (c *Command) Await(ctx context.Context) Outcome {
	tick := time.NewTicker(lookEvery)
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
