package bench

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// measureAll fills the network, installs and withdraws for a time, and checks what the switches hold
// then. The null instance keeps nothing, and is not killed.
func (s *churnRun) measureAll(ctx context.Context) error {
	g, err := s.setup.Open(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	s.hops = g.Paths.Hops
	began := time.Now()
	if err := load.Fill(ctx, g, s.c.Form, s.c.Active); err != nil {
		return fmt.Errorf("filling: %w", err)
	}
	s.filled = time.Since(began)
	s.c.Note("%s paths are installed after %v", report.Thousands(s.c.Active), s.filled.Round(time.Millisecond))
	if s.c.Beyond {
		if err := s.idle.take(ctx, g, min(restWindow, s.c.Duration)); err != nil {
			return err
		}
	}
	p := load.NewGenerator(g, s.c.Form, s.c.Active, s.c.Rate)
	p.Start(ctx)
	err = s.measure(ctx, g, p)
	if err = cmp.Or(err, p.Halt()); err == nil {
		err = p.AwaitSettled(ctx)
	}
	if err != nil {
		return err
	}
	_, s.overloads = p.Times(s.requests, s.late)
	if s.c.Restart && !s.setup.Null {
		s.restart = &restartRun{}
		return s.restart.run(ctx, g)
	}
	return nil
}

// measure takes what switches receive for the time that counts.
func (s *churnRun) measure(ctx context.Context, g *target.Testbed, p *load.Generator) error {
	if err := s.sampleFor(ctx, g, p, s.c.Warmup, nil); err != nil {
		return err
	}
	mallocs := g.Process.Mallocs(ctx)
	before, clocks := g.Net.Tally(), target.ReadCPUTimes(g.Process)
	p.ResetTimes()
	err := s.sampleFor(ctx, g, p, s.c.Duration, &s.growth)
	after := g.Net.Tally()
	s.usage = target.UsageSince(clocks, g.Process)
	s.usage.TargetMemory = s.growth.memory[len(s.growth.memory)-1]
	s.puts, s.gone, s.mods = after.Put-before.Put, after.Removed-before.Removed, after.FlowMods-before.FlowMods
	s.peak, s.mallocs = g.Process.Peak(), g.Process.Mallocs(ctx)-mallocs
	if err == nil {
		err = s.checkKeptUp(g, p)
	}
	return err
}

// sampleFor lets a time pass, sampling once a second what the instance takes.
func (s *churnRun) sampleFor(ctx context.Context, g *target.Testbed, p *load.Generator, d time.Duration, to *usageSeries) error {
	for began := time.Now(); ; {
		if to != nil {
			to.memory, to.files = append(to.memory, g.Process.Memory()), append(to.files, g.Process.Stored())
		}
		left := d - time.Since(began)
		if left <= 0 {
			return nil
		}
		if err := pace.Wait(ctx, min(left, time.Second)); err != nil {
			return err
		}
		if err := p.Failed(); err != nil {
			return err
		}
		if err := g.Check(); err != nil {
			return err
		}
	}
}

// installDelay is after what time, at a set rate, paths have to be in the switches at the end, and
// keptSample of how many of them that is looked at.
const (
	installDelay  = time.Second
	installSample = 500
)

// checkKeptUp reports whether the instance has kept up with a set rate: requests left at their
// times, and the last paths that were asked for a while ago lead to their ends.
func (s *churnRun) checkKeptUp(g *target.Testbed, p *load.Generator) error {
	if s.c.Rate == 0 {
		return nil
	}
	if n := p.Due(); n > int(float64(s.c.Rate)*installDelay.Seconds()) {
		return fmt.Errorf("%w: of %s paths a second %s had not been asked for when they were to be", report.ErrSlow,
			report.Thousands(s.c.Rate), report.Thousands(n))
	}
	first, next := p.Asked()
	to := max(next-int(float64(s.c.Rate)/2*installDelay.Seconds())-p.Batch, first)
	from := max(to-installSample, first)
	missing := 0
	for range g.Broken(true, from, to) {
		missing++
	}
	if missing > 0 {
		return fmt.Errorf("%w: of %d paths that had been asked for %v before the end, at %s a second, %d did not lead to their ends", report.ErrSlow, to-from, installDelay,
			report.Thousands(s.c.Rate), missing)
	}
	return nil
}

// An instance is at rest when in a window, of restWindow at most, it takes no less than restFalls
// of what it took in the one before, or next to nothing.
const (
	restWindow = 2 * time.Second
	restFalls  = 0.9
	restLeast  = 0.02 // cores
)

// take waits until the instance is at rest, and takes what that costs.
func (r *idleUsage) take(ctx context.Context, g *target.Testbed, window time.Duration) error {
	for began, before := time.Now(), 1e9; ; before = r.cpu {
		mallocs, cpu := g.Process.Mallocs(ctx), target.ReadCPUTimes(g.Process)
		if err := pace.Wait(ctx, window); err != nil {
			return err
		}
		u := target.UsageSince(cpu, g.Process)
		elapsed := u.Elapsed.Seconds()
		r.cpu, r.mallocs = u.Target.Seconds()/elapsed, (g.Process.Mallocs(ctx)-mallocs)/elapsed
		switch {
		case r.cpu >= restFalls*before || r.cpu < restLeast:
			return nil
		case time.Since(began) > g.Instance.Limit:
			return fmt.Errorf("%w: the instance is not at rest %v after all paths were installed", report.ErrSlow,
				g.Instance.Limit)
		}
		if err := g.Check(); err != nil {
			return err
		}
	}
}
