package forward

import (
	"maps"
	"slices"

	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/app/forward/places"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// repairs moves the pairs whose packets do not arrive any more: a link of their path is down, a port is gone, a host
// has moved; and ends those that can have no path. Step's goroutine owns it.
type repairs struct {
	*shared
	cleaner *cleaner
	broken  map[uint32]*pairs.Path // a link of theirs was down when links last changed, or they are dead
	recheck bool                   // a link has changed since Second
}

func newRepairs(s *shared, c *cleaner) repairs {
	return repairs{shared: s, cleaner: c, broken: make(map[uint32]*pairs.Path)}
}

// linksDown moves the pairs whose path uses a link that went down, and retries those that found
// no other path when theirs broke. A pair without another path keeps its rules: they work again
// when the link does. A pair that is being moved starts anew if that path is broken too, or if its
// move is slow because it was planned.
func (r *repairs) linksDown(down map[netview.LinkKey]bool, m *topology.Map) {
	r.recheck = true
	was := r.broken
	r.broken = make(map[uint32]*pairs.Path)
	outs := make(map[netview.Point]bool, len(down))
	for key := range down {
		outs[key.Src] = true
	}
	for _, p := range r.paths.Leaving(outs) {
		if p.Crosses(down) && !p.Usable(m) {
			r.broken[p.ID] = p
		}
	}
	for id, p := range was {
		if r.paths.Get(id) == p && !p.Usable(m) {
			r.broken[id] = p
		}
	}
	broken := r.broken
	if len(broken) == 0 {
		return
	}
	r.moveAll(func(in *ingress, pr pairs.Pair, fl pairs.Flow, w *install) bool {
		hit := broken[fl.Path] != nil || in.halfMovedIn(pr, broken)
		if w != nil {
			return w.moving && (broken[w.path.ID] != nil || hit && w.Planned())
		}
		return hit
	})
}

// hostsMoved moves the pairs whose destination has moved, or whose source is at another port of
// the same switch; was is where each had been. Only the ingress switches of paths to there are
// searched.
func (r *repairs) hostsMoved(was map[places.Key]netview.Point) {
	ends, from := make(map[netview.Point]bool), make(map[netview.DPID]bool)
	for _, at := range was {
		ends[at] = true
		from[at.DPID] = true // for pairs within the switch
	}
	for _, p := range r.paths.Leaving(ends) {
		if ends[p.Egress()] {
			from[p.Ingress()] = true
		}
	}
	r.moveFrom(from, func(in *ingress, pr pairs.Pair, fl pairs.Flow, w *install) bool {
		_, moved := was[pr.Dst()]
		return (moved || in.entersElsewhere(was, pr, fl)) && (w == nil || w.moving)
	})
	r.endRelocated(was)
}

// endRelocated ends the pairs whose source has moved from the switch where they entered to another;
// was is where each had been. Their next packets come to the controller from there.
func (r *repairs) endRelocated(was map[places.Key]netview.Point) {
	from := make(map[netview.DPID]bool)
	for key, at := range was {
		if now, known := r.places.At(key); known && now.DPID != at.DPID {
			from[at.DPID] = true
		}
	}
	for _, d := range r.switches.all() {
		if from[d.id] {
			d.moves.endRelocated(was)
		}
	}
}

// deletePorts deletes the pair rules that send to ports which are gone, and ends the pairs whose source was behind
// such a port: their packets come to the controller again. It returns the paths that lead there.
func (r *repairs) deletePorts(left map[netview.Point]bool) (dead map[uint32]*pairs.Path) {
	dead = r.paths.MarkDead(left)
	maps.Copy(r.broken, dead)
	for _, d := range r.switches.all() {
		r.deletePortsAt(d, left, dead)
	}
	r.cleaner.portsGone(left)
	r.cleaner.flush()
	return dead
}

// moveDead moves the pairs of such paths that have another; the others end.
func (r *repairs) moveDead(dead map[uint32]*pairs.Path) {
	r.moveAll(func(in *ingress, pr pairs.Pair, fl pairs.Flow, w *install) bool {
		return (w == nil || w.moving) && (dead[fl.Path] != nil || w != nil && dead[w.path.ID] != nil || in.halfMovedIn(pr, dead))
	})
}

// deletePortsAt deletes the rules of the pairs that enter at a switch. Those within the switch end, and
// those that entered by such a port.
func (r *repairs) deletePortsAt(d *Datapath, left map[netview.Point]bool, dead map[uint32]*pairs.Path) {
	d.mu.Lock()
	defer d.mu.Unlock()
	hit := make(map[pairs.Pair][]*pairs.Path)
	ending := d.pairs.Where(func(pr pairs.Pair, fl pairs.Flow) bool {
		if p := dead[fl.Path]; p != nil {
			hit[pr] = append(hit[pr], p)
		}
		return fl.Path == 0 && left[netview.Point{DPID: d.id, Port: fl.Out}] ||
			left[netview.Point{DPID: d.id, Port: d.entry(pr, fl)}]
	})
	for pr, w := range d.installs {
		if dead[w.path.ID] != nil {
			w.failed = true
			hit[pr] = append(hit[pr], w.path)
		}
	}
	for pr, tails := range d.halfMoved {
		for _, p := range tails {
			if dead[p.ID] != nil {
				hit[pr] = append(hit[pr], p)
			}
		}
	}
	for _, pr := range slices.SortedFunc(maps.Keys(hit), pairs.Pair.Compare) {
		for _, p := range hit[pr] {
			r.cleaner.deleteAt(left, pr, p)
		}
	}
	for _, pr := range ending {
		if w := d.installs[pr]; w != nil && w.moving {
			d.installer.abandon(w)
		}
		fl, _ := d.pairs.Get(pr)
		if out := d.conn.Load(); out != nil {
			r.cleaner.deleteRule(out, pr, r.paths.IngressCookie(fl), fl.Out)
		}
		d.end(pr, fl)
	}
}

// second retries what could not be moved.
func (r *repairs) second() {
	again := r.recheck
	r.recheck = false
	for _, d := range r.switches.all() {
		if again {
			d.moves.linksChanged()
		}
		d.moves.retry()
	}
}

// moveAll moves the selected pairs of all switches.
func (r *repairs) moveAll(wanted selection) { r.moveFrom(nil, wanted) }

// moveFrom moves the selected pairs that enter at one of these switches, or at any if from is nil.
func (r *repairs) moveFrom(from map[netview.DPID]bool, wanted selection) {
	for _, d := range r.switches.all() {
		if from == nil || from[d.id] {
			d.moves.selected(wanted)
		}
	}
}
