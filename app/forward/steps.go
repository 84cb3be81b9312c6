package forward

import (
	"cmp"
	"slices"

	"github.com/weirnet/weir/netview"
)

// steps are how a pair changes over to another path.
//
// After a failure all switches of the new path but the ingress are written at once. A planned change loses nothing: the
// switches that only the new path passes come first, all at once; then, one by one and each confirmed, from the egress
// back, those that both paths pass and leave by different ports; the ingress switch is the last. So at every moment a
// packet follows the old path up to the first switch that has been written, and from there the new one: it arrives,
// whatever is confirmed when, and it passes no switch twice.
type steps struct {
	gentle bool  // planned: it takes one of the places of MovesAtOnce
	later  []int // hops of the path that wait for those behind them, from the egress back
	// wrote: a switch that the old path passes may have been written, so that packets take the old head and the new tail.
	wrote bool
	// slow has each of them wait for what is on its way: where two paths pass two switches in opposite orders, a packet
	// between the two would pass one of them twice.
	slow, waited bool
	due          uint32 // second in which a slow one goes on
	began        uint32 // second
}

// order decides how a pair goes over from one path to another. d.mu is held.
func (d *Datapath) order(p, old *path, pr pair, gentle bool) *steps {
	s := &steps{gentle: gentle, began: d.f.seconds.Load(), wrote: !gentle}
	mixed := len(d.mixed[pr]) > 0
	turned := old != nil && turned(old, p)
	if !gentle && !turned {
		return s
	}
	s.slow = gentle && (turned || mixed)
	for i := len(p.hops) - 1; i > 0; i-- {
		if mixed || old != nil && old.redirects(p.hops[i].DPID, p.hops[i].Out) {
			s.later = append(s.later, i)
		}
	}
	return s
}

// redirects tells whether the path passes a switch and leaves it by another port.
func (p *path) redirects(dpid netview.DPID, port uint32) bool {
	i := p.visit(dpid)
	return i >= 0 && p.hops[i].Out != port
}

// turned tells whether two paths pass some two switches in opposite orders.
func turned(a, b *path) bool {
	last := -1
	for _, h := range b.hops {
		if i := a.visit(h.DPID); i >= 0 {
			if i < last {
				return true
			}
			last = i
		}
	}
	return false
}

// waits tells whether a hop is not among those that are written at once.
func (s *steps) waits(hop int) bool { return s != nil && slices.Contains(s.later, hop) }

// proceed takes the next step of an install whose last one is confirmed. d.mu is held.
func (d *Datapath) proceed(out *outlet, w *install) {
	s := w.steps
	switch {
	case s == nil || out == nil || w.failed.Load():
		d.finish(out, w)
		return
	case s.slow && !s.waited:
		s.waited, s.due = true, d.f.seconds.Load()+2
		d.slow = append(d.slow, w)
		return
	case len(s.later) == 0:
		d.finish(out, w)
		return
	}
	s.waited = false
	hop := s.later[0]
	s.later = s.later[1:]
	if next := d.f.datapath(w.path.hops[hop].DPID); d.write(w, hop, next) {
		s.wrote = true
		w.left.Store(1)
		d.touch(next, w)
		return
	}
	w.failed.Store(true)
	d.finish(out, w)
}

// goOn takes the next step of the slow installs whose time has come, and gives up the planned ones that have had no
// answer for MovePatience: they are tried again.
func (d *Datapath) goOn(out *outlet, now uint32) {
	d.gather(out, func() {
		due := d.slow
		d.slow = nil
		for _, w := range due {
			switch {
			case w.over:
			case now < w.steps.due:
				d.slow = append(d.slow, w)
			default:
				d.proceed(out, w)
			}
		}
		if d.f.moving.Load() == 0 {
			return
		}
		var late []*install
		for _, w := range d.waiting {
			if w.steps != nil && w.steps.gentle && now-w.steps.began > MovePatience {
				late = append(late, w)
			}
		}
		slices.SortFunc(late, func(a, b *install) int { return comparePairs(a.pr, b.pr) })
		for _, w := range late {
			d.giveUp(w)
			d.dropHeld(w)
		}
	})
}

// abandon gives up the slow moves of a switch whose connection has ended: they have places that others wait for.
func (d *Datapath) abandon() {
	d.mu.Lock()
	defer d.mu.Unlock()
	due := d.slow
	d.slow = nil
	for _, w := range due {
		if !w.over {
			d.giveUp(w)
			d.dropHeld(w)
		}
	}
}

// giveUp ends a move that has not come to its end: its confirmations count no more. Where packets may take its tail it
// is remembered until the pair has moved; else its rules are deleted in a while. d.mu is held.
func (d *Datapath) giveUp(w *install) {
	delete(d.waiting, w.pr)
	w.over = true
	d.moved(w)
	d.unmoved = true
	if _, had := d.pairs.get(w.pr); had && w.steps.wrote {
		if d.mixed == nil {
			d.mixed = make(map[pair][]*path)
		}
		d.mixed[w.pr] = append(d.mixed[w.pr], w.path)
		return
	}
	d.f.retired.add(left{d, w.pr, w.path, d.f.drained(w.path)})
}

// moved gives back the place that a planned move had.
func (d *Datapath) moved(w *install) {
	if w.steps != nil && w.steps.gentle {
		d.f.moving.Add(-1)
		d.f.ring()
	}
}

// dropHeld drops the packets that waited for an install.
func (d *Datapath) dropHeld(w *install) {
	d.held -= len(w.held)
	d.f.count.noPath.Add(uint64(len(w.held)))
	w.held = nil
}

// unmix has the rules deleted that moves which were given up have left behind. d.mu is held.
func (d *Datapath) unmix(pr pair) {
	for _, p := range d.mixed[pr] {
		d.f.retired.add(left{d, pr, p, d.f.drained(p)})
	}
	delete(d.mixed, pr)
}

func comparePairs(a, b pair) int { return cmp.Or(cmp.Compare(a.src, b.src), cmp.Compare(a.dst, b.dst)) }
