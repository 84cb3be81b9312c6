package forward

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
	"github.com/weirnet/weir/trace"
)

// pathValid reports whether a path leads to where the pair's destination is now, over usable links.
// A destination that is not known is where it was.
func (f *Forward) pathValid(pr pair, p *path) bool {
	dst, known := f.hosts.get(pr.dstKey())
	return (!known || p.egress() == dst.at) && p.usable(f.currentMap()) // a dead path is not usable
}

// flowValid is pathValid for a pair of this switch. d.mu is held.
func (d *Datapath) flowValid(pr pair, fl flow) bool {
	if fl.path != 0 {
		return d.f.pathValid(pr, d.f.paths.get(fl.path))
	}
	dst, known := d.f.hosts.get(pr.dstKey())
	return !known || dst.at == netview.Point{DPID: d.id, Port: fl.out}
}

// selection reports whether a pair is to be moved; w is its move in progress, or nil. It is called
// with the switch's lock held.
type selection func(d *Datapath, pr pair, fl flow, w *install) bool

// rerouteBroken moves the pairs whose path uses a link that went down, and retries those that found
// no other path when theirs broke. A pair without another path keeps its rules: they work again
// when the link does. A pair that is being moved starts anew if that path is broken too, or if its
// move is slow because it was planned.
func (f *Forward) rerouteBroken(down map[netview.LinkKey]bool, m *topology.Map) {
	broken := f.paths.find(func(p *path) bool {
		if p.broken || p.crosses(down) {
			p.broken = !p.usable(m)
		}
		return p.broken
	})
	if len(broken) == 0 {
		return
	}
	f.moveAll(func(d *Datapath, pr pair, fl flow, w *install) bool {
		hit := broken[fl.path] != nil || d.halfMovedIn(pr, broken)
		if w != nil {
			return w.moving && (broken[w.path.id] != nil || hit && w.Planned())
		}
		return hit
	})
}

// halfMovedIn reports whether an abandoned move may have left a pair on a path of a set. d.mu is
// held.
func (d *Datapath) halfMovedIn(pr pair, set map[uint32]*path) bool {
	return slices.ContainsFunc(d.halfMoved[pr], func(p *path) bool { return set[p.id] != nil })
}

// followHosts moves the pairs whose destination has moved, or whose source is at another port of
// the same switch; was is where each had been. Only the ingress switches of paths to there are
// searched.
func (f *Forward) followHosts(was map[uint64]netview.Point) {
	places, from := make(map[netview.Point]bool), make(map[netview.DPID]bool)
	for _, at := range was {
		places[at] = true
		from[at.DPID] = true // for pairs within the switch
	}
	for _, p := range f.paths.all() {
		if places[p.egress()] {
			from[p.hops[0].DPID] = true
		}
	}
	f.moveFrom(from, func(d *Datapath, pr pair, fl flow, w *install) bool {
		_, moved := was[pr.dstKey()]
		return (moved || d.entersElsewhere(was, pr, fl)) && (w == nil || w.moving)
	})
}

// entersElsewhere reports whether a pair's source has moved from one port of this switch to
// another. d.mu is held.
func (d *Datapath) entersElsewhere(was map[uint64]netview.Point, pr pair, fl flow) bool {
	if at, moved := was[pr.srcKey()]; !moved || at.DPID != d.id {
		return false
	}
	now, known := d.f.hosts.get(pr.srcKey())
	p := d.f.paths.get(fl.path)
	return known && now.at.DPID == d.id && p != nil && p.hops[0].In != now.at.Port
}

// recheckPathless makes retry try again the pairs that had no path to their host's new place, since
// links have changed.
func (f *Forward) recheckPathless() {
	for _, d := range f.datapaths() {
		d.mu.Lock()
		d.retryMoves, d.retryPathless = d.retryMoves || d.retryPathless, false
		d.mu.Unlock()
	}
}

// retry moves the pairs that should have moved and could not: a switch did not answer, had no
// connection or no room, or the network changed again while they moved.
func (f *Forward) retry() {
	for _, d := range f.datapaths() {
		out := d.conn.Load()
		d.mu.Lock()
		again := d.retryMoves && out != nil
		if again {
			d.retryMoves = false
		}
		d.mu.Unlock()
		if again {
			d.moveSelected(out, func(d *Datapath, pr pair, fl flow, w *install) bool { return w == nil && !d.flowValid(pr, fl) })
		}
	}
}

// moveAll moves the selected pairs of all switches.
func (f *Forward) moveAll(wanted selection) { f.moveFrom(nil, wanted) }

// moveFrom moves the selected pairs that enter at one of these switches, or at any if from is nil.
func (f *Forward) moveFrom(from map[netview.DPID]bool, wanted selection) {
	for _, d := range f.datapaths() {
		if out := d.conn.Load(); out != nil && (from == nil || from[d.id]) {
			d.moveSelected(out, wanted)
		}
	}
}

// moveSelected moves the selected pairs of one ingress switch, in a fixed order. Those that are
// being installed check themselves when they are confirmed.
func (d *Datapath) moveSelected(out *switchConn, wanted selection) {
	d.runAndConfirm(out, func() {
		for _, pr := range d.pairsWhere(func(pr pair, fl flow) bool { return wanted(d, pr, fl, d.installs[pr]) }) {
			if w := d.installs[pr]; w != nil {
				d.abandonMove(w)
			}
			fl, _ := d.pairs.get(pr)
			d.move(out, pr, fl, false)
		}
	})
}

// move starts to move one pair to its path in the current topology, from where its source is. It
// stays if there is none, or ends if its path is dead. d.mu is held.
func (d *Datapath) move(out *switchConn, pr pair, fl flow, gentle bool) {
	old := d.f.paths.get(fl.path)
	dead := old != nil && old.dead.Load()
	from := netview.Point{DPID: d.id}
	var to netview.Point
	if old != nil {
		from.Port, to = old.hops[0].In, old.egress()
	}
	if src, known := d.f.hosts.get(pr.srcKey()); known && src.at.DPID == d.id {
		from.Port = src.at.Port
	}
	if dst, known := d.f.hosts.get(pr.dstKey()); known {
		to = dst.at
	} else if dead {
		d.withdraw(out, pr, fl, old)
		return
	} else if old == nil {
		return
	}
	if to.DPID == d.id {
		d.moveLocal(out, pr, fl, to.Port)
		return
	}
	hops, ok := d.f.pathTo(d.hops[:0], from, to, pr)
	d.hops = hops
	if !ok && dead {
		d.withdraw(out, pr, fl, old)
		return
	}
	d.retryPathless = d.retryPathless || !ok && (old == nil || old.egress() != to)
	if !ok || d.f.samePath(fl, hops) && len(d.halfMoved[pr]) == 0 {
		return
	}
	d.beginMove(out, &install{pr: pr, path: d.f.paths.acquire(hops), moving: true}, old, gentle)
}

// beginMove begins a move. d.mu is held.
func (d *Datapath) beginMove(out *switchConn, w *install, old *path, gentle bool) {
	w.Start(d.order(w.path, old, w.pr, gentle), d.f.began())
	w.wrote = !gentle
	if !d.f.reachable(w.path) {
		d.f.paths.release(w.path.id)
		d.retryMoves = true
		return
	}
	if fl, _ := d.pairs.get(w.pr); !d.f.accepts(w.path.hops[1:], old) {
		d.f.paths.release(w.path.id)
		if !gentle && old != nil && !d.flowValid(w.pr, fl) {
			d.withdraw(out, w.pr, fl, old)
		}
		return
	}
	d.installs[w.pr] = w
	trace.At(trace.Move)
	if gentle {
		d.f.moves.Take(&w.Transition)
	}
	switch {
	case !d.writeStage(w):
		d.abandonMove(w)
	case !w.Awaits():
		d.nextStep(out, w)
	}
}

// moveLocal points a pair at a host that is now on the ingress switch itself. d.mu is held.
func (d *Datapath) moveLocal(out *switchConn, pr pair, fl flow, port uint32) {
	if fl.path == 0 && fl.out == port {
		return
	}
	d.pairRule(&d.fm, pr, d.f.cookie(0), out.table, port)
	d.fm.Flags = openflow.FlagSendFlowRemoved
	if !d.send(out.FlowMod(&d.fm)) {
		d.retryMoves = true
		return
	}
	d.dropHalfMoved(pr)
	d.setFlow(pr, flow{out: port})
	d.f.count.Moved.Add(1)
}

// retirePath schedules the deletion of the rules of the path that a pair leaves. d.mu is held.
func (d *Datapath) retirePath(pr pair) {
	fl, _ := d.pairs.get(pr)
	if old := d.f.paths.get(fl.path); old != nil {
		d.f.paths.retain(old)
		d.retire(pr, old)
	}
	d.dropHalfMoved(pr)
}
