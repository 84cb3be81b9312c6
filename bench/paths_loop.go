package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/rig"
)

// run is one run: the network is filled, and each form has its bursts, by turns. The first of each is not counted.
func (s *pathsScore) run(ctx context.Context, i int) error {
	g, err := s.setup.begin(ctx)
	if err != nil {
		return err
	}
	defer g.close()
	if err := g.fill(ctx, s.forms[0].form, s.c.Flows); err != nil {
		return fmt.Errorf("before the bursts: %w", err)
	}
	a, err := g.asker(ctx)
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
	if err := g.tidy(ctx, a, true, s.c.Flows); err != nil {
		return err
	}
	s.take(i)
	return nil
}

// burst asks for paths in one request, waits until switches have all of them, and withdraws them again.
func (g *ground) burst(ctx context.Context, a *asker, form Form, count int) (b burst, err error) {
	n := g.next
	request := a.appendRequest(nil, intentsPath, form, form.appendInstall(nil, g.asks, n, count))
	before, clocks := g.net.Tally(), readClocks(g.process)
	began := g.net.Age()
	if err := a.send(request); err != nil {
		return b, err
	}
	answer, err := a.answer()
	b.answered = g.net.Age() - began
	if err == nil {
		err = form.accepted(answer, count)
	}
	if err != nil {
		return b, err
	}
	g.next += count
	if err := g.arrived(ctx, before, n, g.next); err != nil {
		return b, err
	}
	after := readClocks(g.process)
	b.flowMods = g.net.Tally().FlowMods - before.FlowMods
	b.instance, b.switches = after.its-clocks.its, after.own-clocks.own
	b.memory, b.own = g.process.memory(), ownMemory()
	if err := g.times(&b, int64(began), n); err != nil {
		return b, err
	}
	return b, g.recall(ctx, a, n)
}

// arrived waits until switches have received as many entries as some paths have, and then for the last of them to be there.
func (g *ground) arrived(ctx context.Context, before rig.Tally, first, next int) error {
	want := before.Put + uint64((next-first)*g.asks.hops)
	return g.await(ctx, fmt.Sprintf("%s paths asked for", thousands(float64(next-first))), func(t rig.Tally) bool {
		return t.Put >= want && g.whole(first, next)
	})
}

// whole says whether all of some paths lead to where they were to.
func (g *ground) whole(first, next int) bool {
	var t taken
	for n := first; n < next; n++ {
		if p := g.asks.at(n); !g.asks.take(&p, true, &t) {
			return false
		}
	}
	return true
}

// times reads when the entries of the paths from number n on were received.
func (g *ground) times(b *burst, began int64, n int) error {
	var t taken
	first, last := int64(1)<<62, int64(0)
	for ; n < g.next; n++ {
		p := g.asks.at(n)
		g.asks.take(&p, true, &t)
		first, last = min(first, t.first), max(last, t.last)
	}
	if b.first, b.all = time.Duration(first-began), time.Duration(last-began); b.first < 0 {
		return fmt.Errorf("%w: entries of paths were there before these were asked for", errAstray)
	}
	return nil
}

// recall withdraws the paths from number n on, and waits until they are gone.
func (g *ground) recall(ctx context.Context, a *asker, n int) error {
	count := g.next - n
	want := g.net.Tally().Removed + uint64(count*g.asks.hops)
	if err := a.withdraw(ctx, n, count); err != nil {
		return err
	}
	return g.await(ctx, fmt.Sprintf("%s paths withdrawn", thousands(float64(count))), func(t rig.Tally) bool { return t.Removed >= want })
}

// tidy checks that the network holds the paths from number 0 on that it held before, and withdraws them from an instance that goes on.
func (g *ground) tidy(ctx context.Context, a *asker, exact bool, flows int) error {
	if err := g.verify(exact, 0, flows); err != nil {
		return err
	}
	for n := 0; n < flows && !g.process.owned(); n += pumpBatch {
		if err := a.withdraw(ctx, n, min(pumpBatch, flows-n)); err != nil {
			return err
		}
	}
	return nil
}
