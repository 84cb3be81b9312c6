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
	g, err := s.setup.Open(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := load.Fill(ctx, g, s.forms[0].form, s.c.Flows); err != nil {
		return fmt.Errorf("before the bursts: %w", err)
	}
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
	if err := a.WithdrawAll(ctx, g, true, s.c.Flows); err != nil {
		return err
	}
	s.take(i)
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
	after := target.ReadCPUTimes(g.Process)
	b.flowMods = g.Net.Tally().FlowMods - before.FlowMods
	b.instance, b.switches = after.Target-clocks.Target, after.Generator-clocks.Generator
	b.memory, b.own = g.Process.Memory(), target.OwnMemory()
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
