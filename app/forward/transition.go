package forward

import (
	"cmp"
	"slices"

	"github.com/weirnet/weir/netview"
)

// transition is the order in which a pair moves to another path.
//
// After a failure all switches of the new path but the ingress are written at once. A planned
// move is hitless: the switches that only the new path passes come first, all at once; then,
// one by one and each confirmed, from the egress back, those that both paths pass and leave by
// different ports; the ingress switch is the last. So at every moment a packet follows the old path
// up to the first switch that has been written, and from there the new one: it arrives, whatever is
// confirmed when, and it passes no switch twice.
type transition struct {
	hitless bool  // planned: it takes one of the places of MovesMax
	pending []int // hops of the path that wait for later ones, from the egress back
	// wrote: a switch that the old path passes may have been written, so that packets take the old
	// head and the new tail.
	wrote bool
	// spaced has each of them wait for what is on its way: where two paths pass two switches in
	// opposite orders, a packet between the two would pass one of them twice.
	spaced, waited bool
	due            uint32 // second in which a spaced move continues
	began          uint32 // second
}

// planTransition decides how a pair moves from one path to another. d.mu is held.
func (d *Datapath) planTransition(p, old *path, pr pair, gentle bool) *transition {
	s := &transition{hitless: gentle, began: d.f.seconds.Load(), wrote: !gentle}
	mixed := len(d.halfMoved[pr]) > 0
	turned := old != nil && oppositeOrder(old, p)
	if !gentle && !turned {
		return s
	}
	s.spaced = gentle && (turned || mixed)
	for i := len(p.hops) - 1; i > 0; i-- {
		if mixed || old != nil && old.redirects(p.hops[i].DPID, p.hops[i].Out) {
			s.pending = append(s.pending, i)
		}
	}
	return s
}

// redirects reports whether the path crosses a switch and leaves it by another port.
func (p *path) redirects(dpid netview.DPID, port uint32) bool {
	i := p.indexOf(dpid)
	return i >= 0 && p.hops[i].Out != port
}

// oppositeOrder reports whether two paths cross some two switches in opposite orders.
func oppositeOrder(a, b *path) bool {
	last := -1
	for _, h := range b.hops {
		if i := a.indexOf(h.DPID); i >= 0 {
			if i < last {
				return true
			}
			last = i
		}
	}
	return false
}

// defers reports whether a hop is not among those that are written at once.
func (s *transition) defers(hop int) bool { return s != nil && slices.Contains(s.pending, hop) }

// nextStep takes the next step of an install whose last one is confirmed. d.mu is held.
func (d *Datapath) nextStep(out *switchConn, w *install) {
	s := w.transition
	switch {
	case s == nil || out == nil || w.failed.Load():
		d.finishInstall(out, w)
		return
	case s.spaced && !s.waited:
		s.waited, s.due = true, d.f.seconds.Load()+2
		d.delayed = append(d.delayed, w)
		return
	case len(s.pending) == 0:
		d.finishInstall(out, w)
		return
	}
	s.waited = false
	hop := s.pending[0]
	s.pending = s.pending[1:]
	if d.writeHop(w, hop) {
		s.wrote = true
		w.unconfirmed.Store(1)
		d.awaitConfirmation(d.f.datapath(w.path.hops[hop].DPID), w)
		return
	}
	w.failed.Store(true)
	d.finishInstall(out, w)
}

// resumeDelayed takes the next step of the delayed moves that are due, and abandons planned ones
// without an answer for MoveTimeout: they are retried.
func (d *Datapath) resumeDelayed(out *switchConn, now uint32) {
	d.runAndConfirm(out, func() {
		due := d.delayed
		d.delayed = nil
		for _, w := range due {
			switch {
			case w.abandoned:
			case now < w.transition.due:
				d.delayed = append(d.delayed, w)
			default:
				d.nextStep(out, w)
			}
		}
		if d.f.movesInFlight.Load() == 0 {
			return
		}
		var late []*install
		for _, w := range d.installs {
			if w.transition != nil && w.transition.hitless && now-w.transition.began > MoveTimeout {
				late = append(late, w)
			}
		}
		slices.SortFunc(late, func(a, b *install) int { return comparePairs(a.pr, b.pr) })
		for _, w := range late {
			d.abandonMove(w)
		}
	})
}

// abandonDelayed abandons the delayed moves of a switch whose connection has ended: they occupy
// places that others wait for.
func (d *Datapath) abandonDelayed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	due := d.delayed
	d.delayed = nil
	for _, w := range due {
		if !w.abandoned {
			d.abandonMove(w)
		}
	}
}

// abandonMove ends a move that is not complete: its confirmations are ignored, and the packets that
// waited for it are dropped. If packets may take its tail it is remembered until the pair has
// moved; else its rules are deleted later. d.mu is held.
func (d *Datapath) abandonMove(w *install) {
	d.dropHeld(w)
	delete(d.installs, w.pr)
	w.abandoned = true
	d.freeMoveSlot(w)
	d.retryMoves = true
	if _, had := d.pairs.get(w.pr); had && w.transition.wrote {
		if d.halfMoved == nil {
			d.halfMoved = make(map[pair][]*path)
		}
		d.halfMoved[w.pr] = append(d.halfMoved[w.pr], w.path)
		return
	}
	d.retire(w.pr, w.path)
}

// freeMoveSlot frees the place of a planned move.
func (d *Datapath) freeMoveSlot(w *install) {
	if w.transition != nil && w.transition.hitless {
		d.f.movesInFlight.Add(-1)
		d.f.signalRoom()
	}
}

// dropHeld drops the packets that waited for an install.
func (d *Datapath) dropHeld(w *install) {
	d.heldPackets -= len(w.held)
	d.f.count.NoPath.Add(uint64(len(w.held)))
	w.held = nil
}

// dropHalfMoved schedules the deletion of the rules that abandoned moves have left behind. d.mu is
// held.
func (d *Datapath) dropHalfMoved(pr pair) {
	for _, p := range d.halfMoved[pr] {
		d.retire(pr, p)
	}
	delete(d.halfMoved, pr)
}

func comparePairs(a, b pair) int { return cmp.Or(cmp.Compare(a.src, b.src), cmp.Compare(a.dst, b.dst)) }
