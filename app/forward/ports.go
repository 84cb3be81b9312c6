package forward

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// A rule names a port by its number, and means what is behind it. When a port goes, or another comes under its number, what sends to
// the number goes first: before the tree changes, before a pair moves, and before anybody is heard behind the new port. Else a rule
// for a host sends into a link, and between two parallel links its packets circle.

// portsLeft are the ports that went since the last step, or under whose numbers others are now. Whole says that no rows have changed
// but those of the changes.
func (f *Forward) portsLeft(changes []netview.Change, snap *netview.Snapshot, whole bool) map[netview.Point]bool {
	before := f.snap.Load()
	if before == nil {
		return nil
	}
	var left map[netview.Point]bool
	compare := func(dpid netview.DPID) {
		was, had := before.Switch(dpid)
		if !had {
			return
		}
		now, _ := snap.Switch(dpid)
		for _, number := range netview.PortsLeft(was, now) {
			if left == nil {
				left = make(map[netview.Point]bool)
			}
			left[netview.Point{DPID: dpid, Port: number}] = true
		}
	}
	if !whole {
		for sw := range before.Switches() {
			compare(sw.DPID)
		}
		return left
	}
	for i := range changes {
		if c := &changes[i]; c.Kind == netview.KindSwitch {
			compare(c.Switch.DPID)
		}
	}
	return left
}

// portGone reports whether a switch is known and has no such port.
func portGone(snap *netview.Snapshot, at netview.Point) bool {
	sw, known := snap.Switch(at.DPID)
	if !known {
		return false
	}
	_, there := sw.Port(at.Port)
	return !there
}

// homeless takes the hosts out of the index of which nobody knows where they are, since their ports went.
func (f *Forward) homeless(left map[netview.Point]bool, snap *netview.Snapshot) {
	for at := range left {
		for h := range snap.HostsAt(at) {
			if h.State == netview.HostUnconfirmed {
				f.lost(hostKeyOf(h))
			}
		}
	}
}

// lost takes a host out of the index, and keeps in mind where it was.
func (f *Forward) lost(key uint64) {
	old, had := f.hosts.get(key)
	f.hosts.remove(key)
	if had && len(f.gone) < MaxGone {
		f.gone[key] = old
	}
}

// withoutPorts deletes the pairs' rules that send to ports which are there no more. Pairs that can go another way are moved there, the
// others end, and so do those whose source was behind such a port: their packets come to the controller, which sees where from.
func (f *Forward) withoutPorts(left map[netview.Point]bool) {
	if len(left) == 0 {
		return
	}
	dead := f.paths.kill(left)
	var written []*outlet
	for _, d := range f.datapaths() {
		written = d.withoutPorts(left, dead, written)
	}
	written = f.retired.withoutPorts(left, written)
	for _, out := range written {
		out.Flush()
	}
	f.former.withoutPorts(f, left)
	f.moveAll(func(d *Datapath, pr pair, fl flow, w *install) bool {
		return (w == nil || w.moving) && (dead[fl.path] != nil || w != nil && dead[w.path.id] != nil || d.mixedIn(pr, dead))
	})
}

// withoutPorts deletes the rules of the pairs that enter here. Those within the switch end, and those that entered by such a port.
func (d *Datapath) withoutPorts(left map[netview.Point]bool, dead map[uint32]*path, written []*outlet) []*outlet {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ending []pair
	hit := make(map[pair][]*path)
	d.pairs.each(func(pr pair, fl flow) bool {
		if p := dead[fl.path]; p != nil {
			hit[pr] = append(hit[pr], p)
		}
		if fl.path == 0 && left[netview.Point{DPID: d.id, Port: fl.out}] || left[netview.Point{DPID: d.id, Port: d.entry(pr, fl)}] {
			ending = append(ending, pr)
		}
		return true
	})
	for pr, w := range d.waiting {
		if dead[w.path.id] != nil {
			w.failed.Store(true)
			hit[pr] = append(hit[pr], w.path)
		}
	}
	for pr, tails := range d.mixed {
		for _, p := range tails {
			if dead[p.id] != nil {
				hit[pr] = append(hit[pr], p)
			}
		}
	}
	for _, pr := range sortedPairs(hit) {
		for _, p := range hit[pr] {
			written = d.deleteAt(left, pr, p, written)
		}
	}
	slices.SortFunc(ending, comparePairs)
	out := d.outlet.Load()
	for _, pr := range ending {
		if w := d.waiting[pr]; w != nil && w.moving {
			d.giveUp(w)
			d.dropHeld(w)
		}
		fl, _ := d.pairs.get(pr)
		cookie := d.f.cookie(0)
		if p := d.f.paths.get(fl.path); p != nil {
			cookie = d.f.cookieAt(p, 0)
		}
		if out != nil && d.deleteRule(out, pr, cookie, fl.out) && !slices.Contains(written, out) {
			written = append(written, out)
		}
		d.end(pr, fl)
	}
	return written
}

// entry is the port by which a pair enters; 0 if it is not known. d.mu is held.
func (d *Datapath) entry(pr pair, fl flow) uint32 {
	if p := d.f.paths.get(fl.path); p != nil {
		return p.hops[0].In
	}
	src, known := d.f.hosts.get(pr.srcKey())
	if !known {
		src = d.f.gone[pr.srcKey()]
	}
	if src.at.DPID != d.id {
		return 0
	}
	return src.at.Port
}

// deleteAt deletes a pair's rules of a path that send to these ports. d.mu is held.
func (d *Datapath) deleteAt(ports map[netview.Point]bool, pr pair, p *path, written []*outlet) []*outlet {
	for i, h := range p.hops {
		next := d.f.datapath(h.DPID)
		if next == nil || !ports[netview.Point{DPID: h.DPID, Port: h.Out}] {
			continue
		}
		if out := next.outlet.Load(); out != nil && d.deleteRule(out, pr, d.f.cookieAt(p, i), h.Out) && !slices.Contains(written, out) {
			written = append(written, out)
		}
	}
	return written
}

// withoutPorts deletes the rules of paths that pairs have left which send to these ports, before their time.
func (r *retired) withoutPorts(left map[netview.Point]bool, written []*outlet) []*outlet {
	r.mu.Lock()
	list := slices.Clone(r.list)
	r.mu.Unlock()
	for i := range list {
		if l := &list[i]; l.path.leavesBy(left) {
			l.d.mu.Lock()
			written = l.d.deleteAt(left, l.pr, l.path, written)
			l.d.mu.Unlock()
		}
	}
	return written
}

// withoutPorts deletes the rules of an earlier life that send to these ports.
func (r *former) withoutPorts(f *Forward, left map[netview.Point]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.all() {
		rem := r.at[at.dpid][at.pr]
		if left[netview.Point{DPID: at.dpid, Port: rem.out}] && f.unwrite(at, rem) {
			delete(r.at[at.dpid], at.pr)
			r.changed = true
		}
	}
}

func sortedPairs[V any](m map[pair]V) []pair {
	all := make([]pair, 0, len(m))
	for pr := range m {
		all = append(all, pr)
	}
	slices.SortFunc(all, comparePairs)
	return all
}
