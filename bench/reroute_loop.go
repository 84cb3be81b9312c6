package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// run is one run: the network is filled, and links are cut, one after the other.
func (s *rerouteScore) run(ctx context.Context, i int) error {
	s.cuts = s.cuts[:0]
	err := s.setup.filled(ctx, "cuts", paths.FormNDJSON, s.c.Flows, false, func(g *target.Testbed) (int, error) {
		return s.c.Flows, s.measure(ctx, g)
	})
	if err == nil {
		s.take(i)
	}
	return err
}

func (s *rerouteScore) measure(ctx context.Context, g *target.Testbed) error {
	before := map[int]bool{}
	for n := range s.c.Cuts {
		link, moving, err := s.choose(g, n, before)
		if err != nil {
			return err
		}
		before[link] = true
		if err := s.cut(ctx, g, link, moving); err != nil {
			return fmt.Errorf("cut %d, of link %s with %d paths: %w", n+1, g.Net.Topology().Links[link].ID, len(moving), err)
		}
	}
	return nil
}

// choose draws the link of the i-th cut, and says which paths take it.
func (s *rerouteScore) choose(g *target.Testbed, i int, before map[int]bool) (int, []int, error) {
	l := newLinkPaths(g.Net.Topology())
	var t paths.Received
	for n := g.First; n < g.Next; n++ {
		p := g.Paths.At(n)
		if !g.Paths.Follow(&p, false, &t) {
			return 0, nil, fmt.Errorf("%w: path %d leads nowhere", report.ErrMisforwarded, n)
		}
		l.add(n, t.Steps)
	}
	link, err := l.draw(g.Net.Topology(), s.c.Move, g.Paths.Random(i, 3), before)
	return link, l.of[link], err
}

// cut takes a link's carrier away, waits until all paths go other ways and nothing of the old ones
// is left, and gives it back.
func (s *rerouteScore) cut(ctx context.Context, g *target.Testbed, link int, moving []int) error {
	clocks := target.ReadCPUTimes(g.Process)
	began, err := g.Net.Carrier(link, false)
	if err != nil {
		return err
	}
	if err := g.Poll(ctx, func() error { return g.CheckPaths(moving) }); err != nil {
		return err
	}
	k := cut{moved: len(moving), usage: target.UsageSince(clocks, g.Process)}
	if err := s.times(g, began, moving, &k); err != nil {
		return err
	}
	s.cuts = append(s.cuts, k)
	if err := g.Poll(ctx, func() error { return g.Verify(false, g.First, g.Next) }); err != nil {
		return fmt.Errorf("afterwards: %w", err)
	}
	if _, err := g.Net.Carrier(link, true); err != nil {
		return err
	}
	return g.Poll(ctx, func() error { return g.CheckLinks(ctx) })
}

// times reads when the entries of paths that had to move were received.
func (s *rerouteScore) times(g *target.Testbed, began time.Duration, moving []int, k *cut) error {
	var t paths.Received
	k.first = time.Hour
	for _, n := range moving {
		p := g.Paths.At(n)
		g.Paths.Follow(&p, false, &t)
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
