package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// run is one run: the network is filled, and each form has its bursts, alternately. The first of
// each is not counted.
func (s *pathsScore) run(ctx context.Context, i int) error {
	err := s.setup.filled(ctx, "bursts", s.forms[0].form, s.c.Flows, true, func(g *target.Testbed) (int, error) {
		return s.c.Flows, s.measure(ctx, g)
	})
	if err == nil {
		s.take(i)
	}
	return err
}

func (s *pathsScore) measure(ctx context.Context, g *target.Testbed) error {
	a, err := load.NewSubmitter(ctx, g)
	if err != nil {
		return err
	}
	defer a.Close()
	for burst := range s.c.Bursts + 1 {
		for _, f := range s.forms {
			b, err := measureBurst(ctx, g, a, f.form, s.c.Burst)
			if err != nil {
				return fmt.Errorf("%s, burst %d: %w", f.form, burst, err)
			}
			if burst > 0 {
				f.bursts = append(f.bursts, b)
			}
		}
	}
	return nil
}

// burst asks for paths in one request, waits until switches have all of them, and withdraws them
// again.
func measureBurst(ctx context.Context, g *target.Testbed, a *load.Submitter, form paths.Form, count int) (b burst, err error) {
	n := g.Next
	request := a.AppendRequest(nil, paths.IntentsURL, form, form.AppendInstall(nil, g.Paths, n, count))
	before, clocks := g.Net.Tally(), target.ReadCPUTimes(g.Process)
	began := g.Net.Age()
	if err := a.Send(request); err != nil {
		return b, err
	}
	answer, err := a.Answer()
	b.answered = g.Net.Age() - began
	if err == nil {
		err = form.Accepted(answer, count)
	}
	if err != nil {
		return b, err
	}
	g.Next += count
	if err := g.AwaitReceived(ctx, before, n, g.Next); err != nil {
		return b, err
	}
	b.usage = target.UsageSince(clocks, g.Process)
	b.flowMods = g.Net.Tally().FlowMods - before.FlowMods
	if err := b.times(g, int64(began), n); err != nil {
		return b, err
	}
	return b, a.WithdrawFrom(ctx, g, n)
}

// times reads when the entries of the paths from number n on were received.
func (b *burst) times(g *target.Testbed, began int64, n int) error {
	var t paths.Received
	first, last := int64(1)<<62, int64(0)
	for ; n < g.Next; n++ {
		p := g.Paths.At(n)
		g.Paths.Follow(&p, true, &t)
		first, last = min(first, t.First), max(last, t.Last)
	}
	if b.first, b.all = time.Duration(first-began), time.Duration(last-began); b.first < 0 {
		return fmt.Errorf("%w: entries of paths were there before these were asked for", report.ErrMisforwarded)
	}
	return nil
}
