package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// restartRun is what an instance did that was killed and started again over the same store and the
// same switches.
type restartRun struct {
	ready    time.Duration // from its start to its API's first answer
	compared time.Duration // from its start to when the instance said that it had compared every switch with what is wanted
	entries  int           // of paths, in all switches
	written  uint64        // flow-mods about entries of paths, until restQuiet after everything was compared
	memory   int64
	peak     int64 // of the memory, from its start to the end
}

// restQuiet is for how long switches receive nothing about paths before a restart is taken to be
// over.
const restQuiet = 5 * time.Second

// take adds it to a result.
func (r *restartRun) take(x *report.Result) {
	x.Take("killed and started: API ready", "ms", report.Milliseconds(r.ready))
	x.Take("killed and started: all switches compared", "ms", report.Milliseconds(r.compared))
	x.Take("killed and started: entries written", "", float64(r.written))
	x.Take("killed and started: entries written, of all", "%", 100*float64(r.written)/float64(max(r.entries, 1)))
	x.Take("killed and started: memory at its peak", "MiB", report.Mebibytes(r.peak))
	x.Take("killed and started: memory", "MiB", report.Mebibytes(r.memory))
}

// run kills the instance, starts it again, and waits until it has compared all switches and writes
// no more.
func (r *restartRun) run(ctx context.Context, g *target.Testbed) error {
	for _, sw := range g.Net.Switches {
		r.entries += sw.Paths()
	}
	g.Process.Kill()
	if err := g.AwaitDisconnected(ctx); err != nil {
		return err
	}
	g.Net.Forget()
	before := g.Net.Tally()
	if err := g.Process.Restart(ctx); err != nil {
		return fmt.Errorf("starting again: %w", err)
	}
	if err := g.Ready(ctx); err != nil {
		return err
	}
	r.ready = time.Since(g.Process.Began)
	if err := g.Net.Connect(ctx, g.Process.Address); err != nil {
		return err
	}
	if err := r.compare(ctx, g); err != nil {
		return err
	}
	r.compared = time.Since(g.Process.Began)
	if err := r.quiet(ctx, g, before); err != nil {
		return err
	}
	r.memory, r.peak = g.Process.Memory(), g.Process.Peak()
	return g.Verify(true, g.First, g.Next)
}

// quiet waits until switches have received nothing about paths for a while.
func (r *restartRun) quiet(ctx context.Context, g *target.Testbed, before loadswitch.Tally) error {
	last, since := before, time.Now()
	for began := since; time.Since(since) < restQuiet; {
		if err := pace.Wait(ctx, 10*time.Millisecond); err != nil {
			return err
		}
		if err := g.Check(); err != nil {
			return err
		}
		if t := g.Net.Tally(); t.Put != last.Put || t.Removed != last.Removed {
			last, since = t, time.Now()
		}
		if time.Since(began) > g.Instance.Limit {
			return fmt.Errorf("%w: entries of paths are still written after %v", report.ErrSlow, g.Instance.Limit)
		}
	}
	r.written = last.Put - before.Put + last.Removed - before.Removed
	return nil
}

// comparePollPeriod is how often the instance is asked whether it has compared all switches, at
// most: to answer costs it milliseconds, and garbage.
const comparePollPeriod = 500 * time.Millisecond

// compare waits until the instance says that it has compared every switch.
func (r *restartRun) compare(ctx context.Context, g *target.Testbed) error {
	n := 0
	return pace.Until(ctx, comparePollPeriod, g.Instance.Limit, func() (bool, error) {
		m, err := g.Process.ReadMetrics(ctx, g.Instance.Token)
		if n = int(m[target.MetricCompared]); err != nil || n == len(g.Net.Switches) {
			return true, err
		}
		return false, g.Check()
	}, func() error {
		return fmt.Errorf("%w: %d of %d switches were compared after %v", report.ErrSlow, n, len(g.Net.Switches),
			g.Instance.Limit)
	})
}
