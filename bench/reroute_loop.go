package bench

import (
	"context"
	"fmt"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"time"
)

// run is one run: the network is filled, and links are cut, one after the other.
func (s *rerouteScore) run(ctx context.Context, i int) error {
	s.cuts = s.cuts[:0]
	g, err := s.setup.begin(ctx)
	if err != nil {
		return err
	}
	defer g.close()
	if err := g.fill(ctx, paths.FormNDJSON, s.c.Flows); err != nil {
		return fmt.Errorf("before the cuts: %w", err)
	}
	before := map[int]bool{}
	for n := range s.c.Cuts {
		link, moving, err := s.choose(g, n, before)
		if err != nil {
			return err
		}
		before[link] = true
		if err := s.cut(ctx, g, link, moving); err != nil {
			return fmt.Errorf("cut %d, of link %s with %d paths: %w", n+1, g.net.Topology().Links[link].ID, len(moving), err)
		}
	}
	a, err := g.newSubmitter(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	if err := g.withdrawAll(ctx, a, false, s.c.Flows); err != nil {
		return err
	}
	s.take(i)
	return nil
}

// choose draws the link of the i-th cut, and says which paths take it.
func (s *rerouteScore) choose(g *testbed, i int, before map[int]bool) (int, []int, error) {
	l := newLinkPaths(g.net.Topology())
	var t paths.Received
	for n := g.first; n < g.next; n++ {
		p := g.paths.At(n)
		if !g.paths.Follow(&p, false, &t) {
			return 0, nil, fmt.Errorf("%w: path %d leads nowhere", report.ErrMisforwarded, n)
		}
		l.add(n, t.Steps)
	}
	link, err := l.draw(g.net.Topology(), s.c.Move, g.paths.Random(i, 3), before)
	return link, l.of[link], err
}

// cut takes a link's carrier away, waits until all paths go other ways and nothing of the old ones
// is left, and gives it back.
func (s *rerouteScore) cut(ctx context.Context, g *testbed, link int, moving []int) error {
	clocks := target.ReadCPUTimes(g.process)
	began, err := g.net.Carrier(link, false)
	if err != nil {
		return err
	}
	if err := g.poll(ctx, func() error { return g.checkPaths(moving) }); err != nil {
		return err
	}
	after := target.ReadCPUTimes(g.process)
	k := cut{moved: len(moving), instance: after.Target - clocks.Target, switches: after.Generator - clocks.Generator,
		memory: g.process.Memory(), own: target.OwnMemory()}
	if err := s.times(g, began, moving, &k); err != nil {
		return err
	}
	s.cuts = append(s.cuts, k)
	if err := g.poll(ctx, func() error { return g.verify(false, g.first, g.next) }); err != nil {
		return fmt.Errorf("afterwards: %w", err)
	}
	if _, err := g.net.Carrier(link, true); err != nil {
		return err
	}
	return g.poll(ctx, func() error { return g.checkLinks(ctx) })
}

// checkPaths reports whether paths lead to where they were asked to.
func (g *testbed) checkPaths(moving []int) error {
	var t paths.Received
	for _, n := range moving {
		if p := g.paths.At(n); !g.paths.Follow(&p, false, &t) {
			return fmt.Errorf("%w: path %d leads nowhere", report.ErrMisforwarded, n)
		}
	}
	return nil
}

// times reads when the entries of paths that had to move were received.
func (s *rerouteScore) times(g *testbed, began time.Duration, moving []int, k *cut) error {
	var t paths.Received
	k.first = time.Hour
	for _, n := range moving {
		p := g.paths.At(n)
		g.paths.Follow(&p, false, &t)
		last := time.Duration(0)
		for i := range t.Steps {
			at := t.Steps[i].At - began
			if at < 0 {
				continue // an entry of the old path, where both go the same way
			}
			k.flowMods++
			k.first, last = min(k.first, at), max(last, at)
		}
		if last == 0 {
			return fmt.Errorf("%w: path %d leads to its end over the link that was cut", report.ErrMisforwarded, n)
		}
		k.all = max(k.all, last)
		s.each.Record(int64(last))
	}
	return nil
}
