package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// run is one run: the network is filled, and each form has its bursts, alternately. The first of
// each is not counted.
func (s *pathsScore) run(ctx context.Context, i int) error {
	g, err := s.setup.begin(ctx)
	if err != nil {
		return err
	}
	defer g.close()
	if err := g.fill(ctx, s.forms[0].form, s.c.Flows); err != nil {
		return fmt.Errorf("before the bursts: %w", err)
	}
	a, err := g.newSubmitter(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	for burst := range s.c.Bursts + 1 {
		for _, f := range s.forms {
			b, err := g.burst(ctx, a, f.form, s.c.Burst)
			if err != nil {
				return fmt.Errorf("%s, burst %d: %w", f.form, burst, err)
			}
			if burst > 0 {
				f.bursts = append(f.bursts, b)
			}
		}
	}
	if err := g.withdrawAll(ctx, a, true, s.c.Flows); err != nil {
		return err
	}
	s.take(i)
	return nil
}

// burst asks for paths in one request, waits until switches have all of them, and withdraws them
// again.
func (g *testbed) burst(ctx context.Context, a *submitter, form paths.Form, count int) (b burst, err error) {
	n := g.next
	request := a.appendRequest(nil, paths.IntentsURL, form, form.AppendInstall(nil, g.paths, n, count))
	before, clocks := g.net.Tally(), target.ReadCPUTimes(g.process)
	began := g.net.Age()
	if err := a.send(request); err != nil {
		return b, err
	}
	answer, err := a.answer()
	b.answered = g.net.Age() - began
	if err == nil {
		err = form.Accepted(answer, count)
	}
	if err != nil {
		return b, err
	}
	g.next += count
	if err := g.awaitReceived(ctx, before, n, g.next); err != nil {
		return b, err
	}
	after := target.ReadCPUTimes(g.process)
	b.flowMods = g.net.Tally().FlowMods - before.FlowMods
	b.instance, b.switches = after.Target-clocks.Target, after.Generator-clocks.Generator
	b.memory, b.own = g.process.Memory(), target.OwnMemory()
	if err := g.times(&b, int64(began), n); err != nil {
		return b, err
	}
	return b, g.withdrawFrom(ctx, a, n)
}

// awaitReceived waits until switches have received as many entries as some paths have, and then for
// the last of them to be there.
func (g *testbed) awaitReceived(ctx context.Context, before loadswitch.Tally, first, next int) error {
	want := before.Put + uint64((next-first)*g.paths.Hops)
	return g.awaitEntries(ctx, fmt.Sprintf("%s paths asked for", report.Thousands(float64(next-first))),
		func(t loadswitch.Tally) bool {
			return t.Put >= want && g.complete(first, next)
		})
}

// complete reports whether all of some paths lead to where they were to.
func (g *testbed) complete(first, next int) bool {
	var t paths.Received
	for n := first; n < next; n++ {
		if p := g.paths.At(n); !g.paths.Follow(&p, true, &t) {
			return false
		}
	}
	return true
}

// times reads when the entries of the paths from number n on were received.
func (g *testbed) times(b *burst, began int64, n int) error {
	var t paths.Received
	first, last := int64(1)<<62, int64(0)
	for ; n < g.next; n++ {
		p := g.paths.At(n)
		g.paths.Follow(&p, true, &t)
		first, last = min(first, t.First), max(last, t.Last)
	}
	if b.first, b.all = time.Duration(first-began), time.Duration(last-began); b.first < 0 {
		return fmt.Errorf("%w: entries of paths were there before these were asked for", report.ErrMisforwarded)
	}
	return nil
}

// withdrawFrom withdraws the paths from number n on, and waits until they are gone.
func (g *testbed) withdrawFrom(ctx context.Context, a *submitter, n int) error {
	count := g.next - n
	want := g.net.Tally().Removed + uint64(count*g.paths.Hops)
	if err := a.withdraw(ctx, n, count); err != nil {
		return err
	}
	return g.awaitEntries(ctx, fmt.Sprintf("%s paths withdrawn", report.Thousands(float64(count))),
		func(t loadswitch.Tally) bool { return t.Removed >= want })
}

// withdrawAll checks that the network holds the paths from number 0 on that it held before, and
// withdraws them from an instance that goes on.
func (g *testbed) withdrawAll(ctx context.Context, a *submitter, exact bool, flows int) error {
	if err := g.verify(exact, 0, flows); err != nil {
		return err
	}
	for n := 0; n < flows && !g.process.Owned(); n += batchPaths {
		if err := a.withdraw(ctx, n, min(batchPaths, flows-n)); err != nil {
			return err
		}
	}
	return nil
}
