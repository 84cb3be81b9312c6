package forward

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// A pair is recorded at the switch where it enters the network. When it is forgotten there, or its
// source has moved, the remaining rules of its path must be deleted: a source that is at one of
// those switches by now would use an unrecorded rule, which does not time out while it is used, and
// which is wrong when the destination moves.

// endPair forgets a pair and schedules the deletion of the rest of its path. d.mu is held.
func (d *Datapath) endPair(pr pair, fl flow) {
	d.retirePath(pr)
	d.removeFlow(pr, fl)
}

// expired forgets a pair whose ingress rule is gone. If that was unused, the rest of its path
// expires by itself, unless its source may be at a switch of the path by now. d.mu is held.
func (d *Datapath) expired(pr pair, fl flow, why openflow.FlowRemovedReason) {
	if why == openflow.RemovedIdle && d.f.entersAt(pr, d.id) {
		d.removeFlow(pr, fl)
		return
	}
	d.endPair(pr, fl)
}

// entersAt reports whether a pair's source is certainly at a switch.
func (f *Forward) entersAt(pr pair, dpid netview.DPID) bool {
	snap := f.snap.Load()
	if snap == nil {
		return false
	}
	h, known := snap.Host(netview.HostID{MAC: packet.MACFromUint64(pr.src >> 16), VLAN: pr.vlan() &^ openflow.VLANPresent})
	return known && h.At.DPID == dpid && h.State != netview.HostUnconfirmed
}

// endRelocated ends the pairs whose source has moved from the switch where they entered to another;
// was is where each had been. Their next packets come to the controller from there.
func (f *Forward) endRelocated(was map[uint64]netview.Point) {
	from := make(map[netview.DPID]bool)
	for key, at := range was {
		if now, known := f.hosts.get(key); known && now.at.DPID != at.DPID {
			from[at.DPID] = true
		}
	}
	for _, d := range f.datapaths() {
		if from[d.id] {
			d.endRelocated(was)
		}
	}
}

func (d *Datapath) endRelocated(was map[uint64]netview.Point) {
	out := d.conn.Load()
	d.mu.Lock()
	left := d.pairsWhere(func(pr pair, fl flow) bool {
		at, moved := was[pr.srcKey()]
		now, known := d.f.hosts.get(pr.srcKey())
		return moved && known && at.DPID == d.id && now.at.DPID != d.id && fl.path != 0
	})
	for _, pr := range left {
		if w := d.installs[pr]; w != nil {
			if !w.moving {
				continue // its confirmation checks that
			}
			d.abandonMove(w)
		}
		fl, _ := d.pairs.get(pr)
		if p := d.f.paths.get(fl.path); out != nil {
			d.deleteRule(out, pr, d.f.cookieAt(p, 0), fl.out)
		}
		d.endPair(pr, fl)
	}
	d.mu.Unlock()
	if out != nil {
		out.Flush()
	}
}

// pathsInUse returns the paths that a pair uses or is about to use, from the current switch of its
// source, and from another switch.
func (f *Forward) pathsInUse(pr pair, from netview.DPID) (paths []*path) {
	if src, known := f.hosts.get(pr.srcKey()); known && src.at.DPID != from {
		paths = f.pathsInUseAt(pr, src.at.DPID)
	}
	return append(paths, f.pathsInUseAt(pr, from)...)
}

// pathsInUseAt returns those from one switch.
func (f *Forward) pathsInUseAt(pr pair, from netview.DPID) []*path {
	d := f.datapath(from)
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pathsOf(pr)
}

// pathsOf returns the paths that a pair uses or is about to use, and those of its abandoned moves,
// as far as it enters here. d.mu is held.
func (d *Datapath) pathsOf(pr pair) []*path {
	paths := slices.Clone(d.halfMoved[pr])
	if fl, ok := d.pairs.get(pr); ok && fl.path != 0 {
		paths = append(paths, d.f.paths.get(fl.path))
	}
	if w := d.installs[pr]; w != nil {
		paths = append(paths, w.path)
	}
	return paths
}
