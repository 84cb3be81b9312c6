package forward

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// right tells whether a path leads where the pair's destination is now, over links that can be used. A destination that
// is not known is where it was.
func (f *Forward) right(pr pair, p *path) bool {
	dst, known := f.hosts.get(pr.dstKey())
	return (!known || p.egress() == dst.at) && p.whole(f.topology.Load()) // a dead one is not whole
}

// rightFlow is right for a pair of this switch. d.mu is held.
func (d *Datapath) rightFlow(pr pair, fl flow) bool {
	if fl.path != 0 {
		return d.f.right(pr, d.f.paths.get(fl.path))
	}
	dst, known := d.f.hosts.get(pr.dstKey())
	return !known || dst.at == netview.Point{DPID: d.id, Port: fl.out}
}

// chosen says whether a pair is to be moved; w is its move that is under way, or nil. It is called with the switch's lock
// held.
type chosen func(d *Datapath, pr pair, fl flow, w *install) bool

// repairLinks moves the pairs whose path uses a link that went down, and tries those again that found no other path
// when theirs broke. A pair without another path keeps its rules: they work again when the link does. A pair that is
// moving already starts anew if that path is broken too, or if its move takes its time because it was planned.
func (f *Forward) repairLinks(down map[netview.LinkKey]bool, m *topology.Map) {
	broken := f.paths.find(func(p *path) bool {
		if p.broken || p.crosses(down) {
			p.broken = !p.whole(m)
		}
		return p.broken
	})
	if len(broken) == 0 {
		return
	}
	f.moveAll(func(d *Datapath, pr pair, fl flow, w *install) bool {
		hit := broken[fl.path] != nil || d.mixedIn(pr, broken)
		if w != nil {
			return w.moving && (broken[w.path.id] != nil || hit && w.steps.gentle)
		}
		return hit
	})
}

// mixedIn tells whether a move that was given up may have left a pair on a path of a set. d.mu is held.
func (d *Datapath) mixedIn(pr pair, set map[uint32]*path) bool {
	return slices.ContainsFunc(d.mixed[pr], func(p *path) bool { return set[p.id] != nil })
}

// repairHosts moves the pairs whose destination is elsewhere now, or whose source is at another port of the same switch; was says where
// each had been. Only the ingress switches that a path to there starts from are searched.
func (f *Forward) repairHosts(was map[uint64]netview.Point) {
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

// entersElsewhere reports whether a pair's source has gone from one port of this switch to another. d.mu is held.
func (d *Datapath) entersElsewhere(was map[uint64]netview.Point, pr pair, fl flow) bool {
	if at, moved := was[pr.srcKey()]; !moved || at.DPID != d.id {
		return false
	}
	now, known := d.f.hosts.get(pr.srcKey())
	p := d.f.paths.get(fl.path)
	return known && now.at.DPID == d.id && p != nil && p.hops[0].In != now.at.Port
}

// lookForStrayed has retry look again at pairs whose host went where no path led, since links have changed.
func (f *Forward) lookForStrayed() {
	for _, d := range f.datapaths() {
		d.mu.Lock()
		d.unmoved, d.strayed = d.unmoved || d.strayed, false
		d.mu.Unlock()
	}
}

// retry moves the pairs that should have moved and could not: a switch did not answer, had no connection or no room, or
// the network changed again while they moved.
func (f *Forward) retry() {
	for _, d := range f.datapaths() {
		out := d.outlet.Load()
		d.mu.Lock()
		again := d.unmoved && out != nil
		if again {
			d.unmoved = false
		}
		d.mu.Unlock()
		if again {
			d.moveSome(out, func(d *Datapath, pr pair, fl flow, w *install) bool { return w == nil && !d.rightFlow(pr, fl) })
		}
	}
}

// moveAll moves the pairs of all switches that are chosen.
func (f *Forward) moveAll(wanted chosen) { f.moveFrom(nil, wanted) }

// moveFrom moves the pairs that enter at one of these switches, or at any if from is nil, and are chosen.
func (f *Forward) moveFrom(from map[netview.DPID]bool, wanted chosen) {
	for _, d := range f.datapaths() {
		if out := d.outlet.Load(); out != nil && (from == nil || from[d.id]) {
			d.moveSome(out, wanted)
		}
	}
}

// moveSome moves the pairs of one ingress switch that are chosen, in a fixed order. Those that are being installed look
// again themselves, when they are confirmed.
func (d *Datapath) moveSome(out *outlet, wanted chosen) {
	d.gather(out, func() {
		var moving []pair
		d.pairs.each(func(pr pair, fl flow) bool {
			if wanted(d, pr, fl, d.waiting[pr]) {
				moving = append(moving, pr)
			}
			return true
		})
		slices.SortFunc(moving, comparePairs)
		for _, pr := range moving {
			if w := d.waiting[pr]; w != nil {
				d.giveUp(w)
				d.dropHeld(w)
			}
			fl, _ := d.pairs.get(pr)
			d.move(out, pr, fl, false)
		}
	})
}

// move starts to move one pair to the path that the topology has now, from where its source is. It stays where it is if there is
// none, or ends if its path is dead. d.mu is held.
func (d *Datapath) move(out *outlet, pr pair, fl flow, gentle bool) {
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
	d.strayed = d.strayed || !ok && (old == nil || old.egress() != to)
	if !ok || d.f.samePath(fl, hops) && len(d.mixed[pr]) == 0 {
		return
	}
	d.change(out, &install{pr: pr, path: d.f.paths.take(hops), moving: true}, old, gentle)
}

// change begins a move. d.mu is held.
func (d *Datapath) change(out *outlet, w *install, old *path, gentle bool) {
	w.steps = d.order(w.path, old, w.pr, gentle)
	if !d.f.reachable(w.path) {
		d.f.paths.drop(w.path.id)
		d.unmoved = true
		return
	}
	if fl, _ := d.pairs.get(w.pr); !d.f.accepts(w.path.hops[1:], old) {
		d.f.paths.drop(w.path.id)
		if !gentle && old != nil && !d.rightFlow(w.pr, fl) {
			d.withdraw(out, w.pr, fl, old)
		}
		return
	}
	d.waiting[w.pr] = w
	if gentle {
		d.f.moving.Add(1)
	}
	switch {
	case !d.downstream(w):
		d.giveUp(w)
	case w.left.Load() == 0:
		d.proceed(out, w)
	}
}

// moveLocal points a pair at a host that is now on the ingress switch itself. d.mu is held.
func (d *Datapath) moveLocal(out *outlet, pr pair, fl flow, port uint32) {
	if fl.path == 0 && fl.out == port {
		return
	}
	d.pairRule(&d.fm, pr, d.f.cookie(0), out.table, port)
	d.fm.Flags = openflow.FlagSendFlowRemoved
	if !d.send(out.FlowMod(&d.fm)) {
		d.unmoved = true
		return
	}
	d.unmix(pr)
	d.remember(pr, flow{out: port})
	d.f.count.moved.Add(1)
}

// leave has the rules of the path that a pair leaves deleted in a while. d.mu is held.
func (d *Datapath) leave(pr pair) {
	fl, _ := d.pairs.get(pr)
	if old := d.f.paths.get(fl.path); old != nil {
		d.f.paths.hold(old)
		d.f.retired.add(left{d, pr, old, d.f.drained(old)})
	}
	d.unmix(pr)
}
