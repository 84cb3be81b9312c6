package bench

import (
	"context"
	"fmt"
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
	if err := g.fill(ctx, FormNDJSON, s.c.Flows); err != nil {
		return fmt.Errorf("before the cuts: %w", err)
	}
	before := map[int]bool{}
	for n := range s.c.Cuts {
		link, paths, err := s.choose(g, n, before)
		if err != nil {
			return err
		}
		before[link] = true
		if err := s.cut(ctx, g, link, paths); err != nil {
			return fmt.Errorf("cut %d, of link %s with %d paths: %w", n+1, g.net.Topology().Links[link].ID, len(paths), err)
		}
	}
	a, err := g.asker(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	if err := g.tidy(ctx, a, false, s.c.Flows); err != nil {
		return err
	}
	s.take(i)
	return nil
}

// choose draws the link of the i-th cut, and says which paths take it.
func (s *rerouteScore) choose(g *ground, i int, before map[int]bool) (int, []int, error) {
	l := newLoads(g.net.Topology())
	var t taken
	for n := g.first; n < g.next; n++ {
		p := g.asks.at(n)
		if !g.asks.take(&p, false, &t) {
			return 0, nil, fmt.Errorf("%w: path %d leads nowhere", errAstray, n)
		}
		l.add(n, t.steps)
	}
	link, err := l.draw(g.net.Topology(), s.c.Move, g.asks.lot(i, 3), before)
	return link, l.of[link], err
}

// cut takes a link's carrier away, waits until all paths go other ways and nothing of the old ones is left, and gives it back.
func (s *rerouteScore) cut(ctx context.Context, g *ground, link int, paths []int) error {
	clocks := readClocks(g.process)
	began, err := g.net.Carrier(link, false)
	if err != nil {
		return err
	}
	if err := g.until(ctx, func() error { return g.lead(paths) }); err != nil {
		return err
	}
	after := readClocks(g.process)
	k := cut{moved: len(paths), instance: after.its - clocks.its, switches: after.own - clocks.own, memory: g.process.memory(), own: ownMemory()}
	if err := s.times(g, began, paths, &k); err != nil {
		return err
	}
	s.cuts = append(s.cuts, k)
	if err := g.until(ctx, func() error { return g.verify(false, g.first, g.next) }); err != nil {
		return fmt.Errorf("afterwards: %w", err)
	}
	if _, err := g.net.Carrier(link, true); err != nil {
		return err
	}
	return g.until(ctx, func() error { return g.linked(ctx) })
}

// lead says whether paths lead to where they were asked to.
func (g *ground) lead(paths []int) error {
	var t taken
	for _, n := range paths {
		if p := g.asks.at(n); !g.asks.take(&p, false, &t) {
			return fmt.Errorf("%w: path %d leads nowhere", errAstray, n)
		}
	}
	return nil
}

// times reads when the entries of paths that had to move were received.
func (s *rerouteScore) times(g *ground, began time.Duration, paths []int, k *cut) error {
	var t taken
	k.first = time.Hour
	for _, n := range paths {
		p := g.asks.at(n)
		g.asks.take(&p, false, &t)
		last := time.Duration(0)
		for i := range t.steps {
			at := t.steps[i].At - began
			if at < 0 {
				continue // an entry of the old path, where both go the same way
			}
			k.flowMods++
			k.first, last = min(k.first, at), max(last, at)
		}
		if last == 0 {
			return fmt.Errorf("%w: path %d leads to its end over the link that was cut", errAstray, n)
		}
		k.all = max(k.all, last)
		record(s.each, int64(last))
	}
	return nil
}
