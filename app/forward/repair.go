package forward

import (
	"cmp"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// repairLinks moves the pairs whose path uses a link that went down, and tries those again that found no other path
// when theirs broke. A pair without another path keeps its rules: they work again when the link does.
func (f *Forward) repairLinks(down map[netview.LinkKey]bool, snap *netview.Snapshot) {
	broken := f.paths.find(func(p *path) bool {
		if p.crosses(down) {
			p.broken.Store(true)
			return true
		}
		if p.broken.Load() && p.whole(snap) {
			p.broken.Store(false)
		}
		return p.broken.Load()
	})
	if len(broken) == 0 {
		return
	}
	f.moveAll(func(_ pair, fl flow) bool { return broken[fl.path] != nil })
}

// whole tells whether all links of the path are up.
func (p *path) whole(snap *netview.Snapshot) bool {
	for i := 0; i+1 < len(p.hops); i++ {
		if l, ok := snap.Link(linkBetween(p.hops[i], p.hops[i+1])); !ok || !l.Up {
			return false
		}
	}
	return true
}

// repairHosts moves the pairs whose destination is elsewhere now.
func (f *Forward) repairHosts(moved map[uint64]bool) {
	f.moveAll(func(pr pair, _ flow) bool { return moved[hostKey(pr.dst, pr.vlan()&0xfff)] })
}

// moveAll moves the pairs of all switches for which wanted is true: those of one ingress switch in one batch.
func (f *Forward) moveAll(wanted func(pair, flow) bool) {
	for _, d := range f.datapaths() {
		if out := d.outlet.Load(); out != nil {
			d.moveSome(out, wanted)
		}
	}
}

// moveSome moves the pairs of one ingress switch for which wanted is true, in a fixed order.
func (d *Datapath) moveSome(out *outlet, wanted func(pair, flow) bool) {
	d.mu.Lock()
	var moving []pair
	for pr, fl := range d.pairs {
		if wanted(pr, fl) && d.waiting[pr] == nil {
			moving = append(moving, pr)
		}
	}
	slices.SortFunc(moving, func(a, b pair) int { return cmp.Or(cmp.Compare(a.src, b.src), cmp.Compare(a.dst, b.dst)) })
	readers := d.touched // those of the reader's batch are not ours to confirm
	d.touched = nil
	var batch []*install
	for _, pr := range moving {
		if w := d.move(out, pr, d.pairs[pr]); w != nil {
			d.waiting[pr] = w
			batch = append(batch, w)
		}
	}
	touched := d.touched
	d.touched = readers
	d.mu.Unlock()
	if len(moving) > 0 {
		out.Flush()
	}
	if len(batch) > 0 {
		d.f.confirm(touched, func(err error) { d.confirmed(batch, err) })
	}
}

// move starts to move one pair to the path that the topology has now. The result waits for its downstream rules, or is
// nil: moved already, or nowhere to go. d.mu is held.
func (d *Datapath) move(out *outlet, pr pair, fl flow) *install {
	dst, known := d.f.hosts.get(hostKey(pr.dst, pr.vlan()&0xfff))
	if !known {
		return nil
	}
	old := d.f.paths.get(fl.path)
	if dst.at.DPID == d.id {
		d.moveLocal(out, pr, fl, old, dst.at.Port)
		return nil
	}
	from := netview.Point{DPID: d.id}
	if old != nil {
		from.Port = old.hops[0].In
	}
	hops, ok := d.f.pathTo(d.hops[:0], from, dst.at, pr)
	d.hops = hops
	if !ok || d.f.samePath(fl, hops) {
		return nil
	}
	w := &install{pr: pr, path: d.f.paths.take(hops), out: hops[0].Out, inPort: from.Port, old: old}
	if old == nil {
		w.old = &path{}
	}
	if !d.downstream(w) {
		d.f.paths.drop(w.path.id)
		return nil
	}
	return w
}

// moveLocal points a pair at a host that is now on the ingress switch itself. d.mu is held.
func (d *Datapath) moveLocal(out *outlet, pr pair, fl flow, old *path, port uint32) {
	if fl.path == 0 && fl.out == port {
		return
	}
	d.pairRule(&d.fm, pr, d.f.cookie(0), out.table, port)
	d.fm.Flags = openflow.FlagSendFlowRemoved
	if !d.send(out.FlowMod(&d.fm)) {
		return
	}
	if old != nil {
		d.cleanUp(pr, old, &path{})
	}
	d.remember(pr, flow{out: port})
	d.f.count.moved.Add(1)
}

// cleanUp deletes a pair's rules at the switches that only its old path passes. d.mu is held.
func (d *Datapath) cleanUp(pr pair, old, now *path) {
	for _, h := range old.hops {
		if _, stays := now.visits(h.DPID); stays || h.DPID == d.id {
			continue
		}
		next, ok := d.f.switches.get(uint64(h.DPID))
		if !ok {
			continue
		}
		out := next.outlet.Load()
		if out == nil {
			continue
		}
		d.pairRule(&d.fm, pr, d.f.cookie(old.id), out.table, h.Out)
		d.fm.Command, d.fm.OutPort, d.fm.Instructions = openflow.FlowDeleteStrict, h.Out, nil
		if out.cookies {
			d.fm.CookieMask = plan.ExactMask
		}
		if d.send(out.FlowMod(&d.fm)) {
			out.Flush()
		}
	}
}
