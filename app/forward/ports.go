package forward

import (
	"maps"
	"slices"

	"github.com/weirnet/weir/netview"
)

// A rule names a port by its number, and means what is behind it. When a port is removed or
// renumbered, the rules that send to the number are deleted first: before the tree changes, before
// a pair moves, and before a host is learned behind the new port. Otherwise a rule for a host would
// send into a link, and between two parallel links its packets would loop.

// portsLeft returns the ports that were removed since the last step, or whose numbers other ports
// have now. Whole: no rows have changed but those of the changes.
func (f *Forward) portsLeft(changes []netview.Change, snap *netview.Snapshot, whole bool) map[netview.Point]bool {
	before := f.snap.Load()
	if before == nil {
		return nil
	}
	left := make(map[netview.Point]bool)
	compare := func(dpid netview.DPID) {
		was, had := before.Switch(dpid)
		if !had {
			return
		}
		now, _ := snap.Switch(dpid)
		for _, number := range netview.PortsLeft(was, now) {
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

// forgetPlaces removes the hosts from the index whose place is unknown, since their ports are gone.
func (f *Forward) forgetPlaces(left map[netview.Point]bool, snap *netview.Snapshot) {
	for at := range left {
		for h := range snap.HostsAt(at) {
			if h.State == netview.HostUnconfirmed {
				f.forgetPlace(hostKeyOf(h))
			}
		}
	}
}

// forgetPlace removes a host from the index, and remembers where it was.
func (f *Forward) forgetPlace(key uint64) {
	old, had := f.hosts.get(key)
	f.hosts.remove(key)
	if had && len(f.deletedHosts) < MaxGone {
		f.deletedHosts[key] = old
	}
}

// deletePortRules deletes the pair rules that send to ports which are gone. Pairs that have another
// path are moved, the others end, and so do those whose source was behind such a port: their
// packets come to the controller again.
func (f *Forward) deletePortRules(left map[netview.Point]bool) {
	if len(left) == 0 {
		return
	}
	dead := f.paths.markDead(left)
	var wrote written
	for _, d := range f.datapaths() {
		d.deletePortRules(left, dead, &wrote)
	}
	f.retired.deletePortRules(left, &wrote)
	wrote.flush()
	f.inherited.deletePortRules(f, left)
	f.moveAll(func(d *Datapath, pr pair, fl flow, w *install) bool {
		return (w == nil || w.moving) && (dead[fl.path] != nil || w != nil && dead[w.path.id] != nil || d.halfMovedIn(pr, dead))
	})
}

// deletePortRules deletes the rules of the pairs that enter here. Those within the switch end, and
// those that entered by such a port.
func (d *Datapath) deletePortRules(left map[netview.Point]bool, dead map[uint32]*path, wrote *written) {
	d.mu.Lock()
	defer d.mu.Unlock()
	hit := make(map[pair][]*path)
	ending := d.pairsWhere(func(pr pair, fl flow) bool {
		if p := dead[fl.path]; p != nil {
			hit[pr] = append(hit[pr], p)
		}
		return fl.path == 0 && left[netview.Point{DPID: d.id, Port: fl.out}] ||
			left[netview.Point{DPID: d.id, Port: d.entry(pr, fl)}]
	})
	for pr, w := range d.installs {
		if dead[w.path.id] != nil {
			w.failed = true
			hit[pr] = append(hit[pr], w.path)
		}
	}
	for pr, tails := range d.halfMoved {
		for _, p := range tails {
			if dead[p.id] != nil {
				hit[pr] = append(hit[pr], p)
			}
		}
	}
	for _, pr := range slices.SortedFunc(maps.Keys(hit), comparePairs) {
		for _, p := range hit[pr] {
			d.deleteAt(left, pr, p, wrote)
		}
	}
	out := d.conn.Load()
	for _, pr := range ending {
		if w := d.installs[pr]; w != nil && w.moving {
			d.abandonMove(w)
		}
		fl, _ := d.pairs.get(pr)
		cookie := d.f.cookie(0)
		if p := d.f.paths.get(fl.path); p != nil {
			cookie = d.f.cookieAt(p, 0)
		}
		if out != nil && d.deleteRule(out, pr, cookie, fl.out) {
			wrote.add(out)
		}
		d.endPair(pr, fl)
	}
}

// entry returns the port by which a pair enters; 0 if it is not known. d.mu is held.
func (d *Datapath) entry(pr pair, fl flow) uint32 {
	if p := d.f.paths.get(fl.path); p != nil {
		return p.hops[0].In
	}
	src, known := d.f.hosts.get(pr.srcKey())
	if !known {
		src = d.f.deletedHosts[pr.srcKey()]
	}
	if src.at.DPID != d.id {
		return 0
	}
	return src.at.Port
}

// deleteAt deletes a pair's rules of a path that send to these ports. d.mu is held.
func (d *Datapath) deleteAt(ports map[netview.Point]bool, pr pair, p *path, wrote *written) {
	for i, h := range p.hops {
		if !ports[netview.Point{DPID: h.DPID, Port: h.Out}] {
			continue
		}
		if out := d.f.connOf(h.DPID); out != nil && d.deleteRule(out, pr, d.f.cookieAt(p, i), h.Out) {
			wrote.add(out)
		}
	}
}

// deletePortRules deletes the rules of retired paths that send to these ports, before their time.
func (r *retired) deletePortRules(left map[netview.Point]bool, wrote *written) {
	r.mu.Lock()
	list := slices.Clone(r.list)
	r.mu.Unlock()
	for i := range list {
		if l := &list[i]; l.path.leavesBy(left) {
			l.d.mu.Lock()
			l.d.deleteAt(left, l.pr, l.path, wrote)
			l.d.mu.Unlock()
		}
	}
}

// deletePortRules deletes the rules of an earlier run that send to these ports.
func (r *inherited) deletePortRules(f *Forward, left map[netview.Point]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.all() {
		rem := r.at[at.dpid][at.pr]
		if left[netview.Point{DPID: at.dpid, Port: rem.out}] && f.deleteInherited(at, rem) {
			delete(r.at[at.dpid], at.pr)
			r.changed = true
		}
	}
}
