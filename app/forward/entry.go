package forward

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// A pair is known where it enters the network. When it is known there no more, or its source has gone elsewhere, what is left of its
// path must go: a source that is at one of those switches by now would send by a rule of which nobody knows, which no idle time-out
// ends while it talks, and which is wrong when the destination moves.

// end forgets a pair and has what is left of its path deleted in a while. d.mu is held.
func (d *Datapath) end(pr pair, fl flow) {
	d.leave(pr)
	d.forget(pr, fl)
}

// ranOut forgets a pair whose ingress rule went. Where nobody used it, the rest of its path runs out by itself: unless its source may
// have gone to a switch of the path. d.mu is held.
func (d *Datapath) ranOut(pr pair, fl flow, why openflow.FlowRemovedReason) {
	if why == openflow.RemovedIdle && d.f.enters(pr, d.id) {
		d.forget(pr, fl)
		return
	}
	d.end(pr, fl)
}

// enters tells whether a pair's source is surely at a switch.
func (f *Forward) enters(pr pair, dpid netview.DPID) bool {
	snap := f.snap.Load()
	if snap == nil {
		return false
	}
	h, known := snap.Host(netview.HostID{MAC: packet.MACFromUint64(pr.src >> 16), VLAN: pr.vlan() &^ openflow.VLANPresent})
	return known && h.At.DPID == dpid && h.State != netview.HostUnconfirmed
}

// endLeft ends the pairs whose source has gone from the switch where they entered to another; was says where each had been. Their
// next packets come to the controller from there.
func (f *Forward) endLeft(was map[uint64]netview.Point) {
	from := make(map[netview.DPID]bool)
	for key, at := range was {
		if now, known := f.hosts.get(key); known && now.at.DPID != at.DPID {
			from[at.DPID] = true
		}
	}
	for _, d := range f.datapaths() {
		if from[d.id] {
			d.endLeft(was)
		}
	}
}

func (d *Datapath) endLeft(was map[uint64]netview.Point) {
	out := d.outlet.Load()
	d.mu.Lock()
	var left []pair
	d.pairs.each(func(pr pair, fl flow) bool {
		at, moved := was[pr.srcKey()]
		if now, known := d.f.hosts.get(pr.srcKey()); moved && known && at.DPID == d.id && now.at.DPID != d.id && fl.path != 0 {
			left = append(left, pr)
		}
		return true
	})
	slices.SortFunc(left, comparePairs)
	for _, pr := range left {
		if w := d.waiting[pr]; w != nil {
			if !w.moving {
				continue // it looks itself when it is confirmed
			}
			d.giveUp(w)
			d.dropHeld(w)
		}
		fl, _ := d.pairs.get(pr)
		if p := d.f.paths.get(fl.path); out != nil {
			d.deleteRule(out, pr, d.f.cookieAt(p, 0), fl.out)
		}
		d.end(pr, fl)
	}
	d.mu.Unlock()
	if out != nil {
		out.Flush()
	}
}

// used are the paths by which a pair goes, or is about to, from where its source is now, and from another switch.
func (f *Forward) used(pr pair, from netview.DPID) (paths []*path) {
	if src, known := f.hosts.get(pr.srcKey()); known && src.at.DPID != from {
		paths = f.usedFrom(pr, src.at.DPID)
	}
	return append(paths, f.usedFrom(pr, from)...)
}

// usedFrom are those from one switch.
func (f *Forward) usedFrom(pr pair, from netview.DPID) (paths []*path) {
	d := f.datapath(from)
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	paths = slices.Clone(d.mixed[pr])
	if fl, ok := d.pairs.get(pr); ok && fl.path != 0 {
		paths = append(paths, f.paths.get(fl.path))
	}
	if w := d.waiting[pr]; w != nil {
		paths = append(paths, w.path)
	}
	return paths
}
