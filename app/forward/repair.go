package forward

import (
	"cmp"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// right tells whether a path leads where the pair's destination is now, over links that can be used. A destination that
// is not known is where it was.
func (f *Forward) right(pr pair, p *path) bool {
	dst, known := f.hosts.get(pr.dstKey())
	return (!known || p.egress() == dst.at) && p.whole(f.topology.Load())
}

// rightFlow is right for a pair of this switch. d.mu is held.
func (d *Datapath) rightFlow(pr pair, fl flow) bool {
	if fl.path != 0 {
		return d.f.right(pr, d.f.paths.get(fl.path))
	}
	dst, known := d.f.hosts.get(pr.dstKey())
	return !known || dst.at == netview.Point{DPID: d.id, Port: fl.out}
}

// repairLinks moves the pairs whose path uses a link that went down, and tries those again that found no other path
// when theirs broke. A pair without another path keeps its rules: they work again when the link does.
func (f *Forward) repairLinks(down map[netview.LinkKey]bool, m *topology.Map) {
	broken := f.paths.find(func(p *path) bool {
		if p.broken || p.crosses(down) {
			p.broken = !p.whole(m)
		}
		return p.broken
	})
	if len(broken) > 0 {
		f.moveAll(func(_ *Datapath, _ pair, fl flow) bool { return broken[fl.path] != nil })
	}
}

// repairHosts moves the pairs whose destination is elsewhere now.
func (f *Forward) repairHosts(moved map[uint64]bool) {
	f.moveAll(func(_ *Datapath, pr pair, _ flow) bool { return moved[pr.dstKey()] })
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
			d.moveSome(out, func(d *Datapath, pr pair, fl flow) bool { return !d.rightFlow(pr, fl) })
		}
	}
}

// moveAll moves the pairs of all switches for which wanted is true; wanted is called with the switch's lock held.
func (f *Forward) moveAll(wanted func(*Datapath, pair, flow) bool) {
	for _, d := range f.datapaths() {
		if out := d.outlet.Load(); out != nil {
			d.moveSome(out, wanted)
		}
	}
}

// moveSome moves the pairs of one ingress switch for which wanted is true, in a fixed order. Those that are being
// installed look again themselves, when they are confirmed.
func (d *Datapath) moveSome(out *outlet, wanted func(*Datapath, pair, flow) bool) {
	d.mu.Lock()
	var moving []pair
	d.pairs.each(func(pr pair, fl flow) bool {
		if d.waiting[pr] == nil && wanted(d, pr, fl) {
			moving = append(moving, pr)
		}
		return true
	})
	slices.SortFunc(moving, func(a, b pair) int { return cmp.Or(cmp.Compare(a.src, b.src), cmp.Compare(a.dst, b.dst)) })
	readers := d.batch // the reader confirms its own
	d.batch = nil
	for _, pr := range moving {
		fl, _ := d.pairs.get(pr)
		d.move(out, pr, fl)
	}
	batch := d.batch
	d.batch = readers
	d.mu.Unlock()
	if len(moving) > 0 {
		out.Flush()
		d.confirm(batch)
	}
}

// move starts to move one pair to the path that the topology has now; it stays where it is if there is none. d.mu is held.
func (d *Datapath) move(out *outlet, pr pair, fl flow) {
	dst, known := d.f.hosts.get(pr.dstKey())
	if !known {
		return
	}
	if dst.at.DPID == d.id {
		d.moveLocal(out, pr, fl, dst.at.Port)
		return
	}
	from := netview.Point{DPID: d.id}
	if old := d.f.paths.get(fl.path); old != nil {
		from.Port = old.hops[0].In
	}
	hops, ok := d.f.pathTo(d.hops[:0], from, dst.at, pr)
	d.hops = hops
	if !ok || d.f.samePath(fl, hops) {
		return
	}
	w := &install{pr: pr, path: d.f.paths.take(hops), inPort: from.Port, moving: true}
	if !d.downstream(w) {
		d.f.paths.drop(w.path.id)
		d.unmoved = true
		return
	}
	d.waiting[pr] = w
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
	d.leave(pr)
	d.remember(pr, flow{out: port})
	d.f.count.moved.Add(1)
}

// leave has the rules of the path that a pair leaves deleted in a while. d.mu is held.
func (d *Datapath) leave(pr pair) {
	fl, _ := d.pairs.get(pr)
	if old := d.f.paths.get(fl.path); old != nil {
		d.f.paths.hold(old)
		d.f.retired.add(left{d, pr, old})
	}
}
