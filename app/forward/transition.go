package forward

import (
	"cmp"
	"slices"
	"time"

	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
)

// spacing is how long packets between two switches may be on their way, of a clock that counts whole
// seconds: at least pathing.LingerUnknown, as if no latency were known.
const spacing = pathing.LingerUnknown + time.Second

// order returns the order in which the rules of a pair's next path are written: after a failure all but
// that of the ingress at once, gently without loss. Its rules match no port in: where the two paths turn,
// or packets may be on an abandoned one, stages are spaced, and after a failure, when packets are lost
// anyway, they come one after the other at least. d.mu is held.
func (d *Datapath) order(next, old *path, pr pair, gentle bool) pathing.Order {
	mixed := len(d.halfMoved[pr]) > 0
	turned := old != nil && pathing.Turns(old.hops, next.hops)
	if !gentle && !turned {
		return pathing.Order{IngressLast: true}
	}
	rules := make([]pathing.Rule, len(next.hops))
	for i, h := range next.hops {
		rules[i] = pathing.Rule{Finds: old.finds(h), After: len(rules) - 1 - i, Ingress: i == 0}
		if i == 0 || mixed { // the rule where a pair enters tells by its cookie which path it has
			rules[i].Finds = pathing.Other
		}
	}
	o := pathing.Order{Stages: pathing.Stages(rules)}
	if gentle && (turned || mixed) {
		o.Spacing = spacing
	}
	return o
}

// finds returns what a rule of another path finds at its switch while this one is in force; p may be nil.
func (p *path) finds(h topology.Hop) pathing.Finds {
	if p == nil {
		return pathing.Nothing
	}
	switch i := p.indexOf(h.DPID); {
	case i < 0:
		return pathing.Nothing
	case p.hops[i].Out != h.Out:
		return pathing.Other
	}
	return pathing.Same
}

// nextStep goes on with an install whose stage is confirmed. The last stage is the ingress switch's rule.
// d.mu is held.
func (d *Datapath) nextStep(out *switchConn, w *install) {
	switch {
	case out == nil || w.failed:
		d.failInstall(out, w)
	case w.Last():
		d.endMove(out, w)
	case d.f.clock().Before(w.Due(d.f.clock())):
		d.delayed = append(d.delayed, w)
	default:
		d.writeNext(out, w)
	}
}

// writeNext writes the next stage of an install. d.mu is held.
func (d *Datapath) writeNext(out *switchConn, w *install) {
	w.Next()
	switch {
	case w.Last():
		d.finishInstall(out, w)
	case d.writeStage(w):
		w.wrote = true
	default:
		w.failed = true
		d.failInstall(out, w)
	}
}

// resumeDelayed takes the next step of the delayed moves that are due, and abandons planned ones
// that are late: they are retried.
func (d *Datapath) resumeDelayed(out *switchConn, now time.Time) {
	d.runAndConfirm(out, func() {
		due := d.delayed
		d.delayed = nil
		for _, w := range due {
			switch {
			case w.abandoned:
			case now.Before(w.Due(now)):
				d.delayed = append(d.delayed, w)
			default:
				d.nextStep(out, w)
			}
		}
		if d.f.moves.Taken() == 0 {
			return
		}
		var late []*install
		for _, w := range d.installs {
			if w.Planned() && w.Late(now) {
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
	if _, had := d.pairs.get(w.pr); had && w.wrote {
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
	if d.f.moves.Free(&w.Transition) {
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
