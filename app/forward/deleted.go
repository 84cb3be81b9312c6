package forward

import (
	"maps"
	"slices"

	"github.com/weirnet/weir/netview"
)

// withoutSwitches forgets the switches that the view shows no more and that have no connection: those that changes name, or,
// where these are not all, any.
func (f *Forward) withoutSwitches(changes []netview.Change, snap *netview.Snapshot, whole bool) {
	if !whole {
		for _, d := range f.datapaths() {
			f.forgetSwitch(d.id, snap)
		}
		return
	}
	for i := range changes {
		if c := &changes[i]; c.Kind == netview.KindSwitch && c.Deleted {
			f.forgetSwitch(c.Switch.DPID, snap)
		}
	}
}

// forgetSwitch forgets a switch if it is gone. Its pairs end: what is left of their rules at other switches is deleted in a while.
func (f *Forward) forgetSwitch(dpid netview.DPID, snap *netview.Snapshot) {
	f.attach <- struct{}{}
	defer func() { <-f.attach }()
	d := f.datapath(dpid)
	if _, there := snap.Switch(dpid); there || d != nil && d.outlet.Load() != nil {
		return
	}
	if d != nil {
		d.clear()
		f.switches.remove(uint64(dpid))
	}
	maps.DeleteFunc(f.gone, func(_ uint64, was place) bool { return was.at.DPID == dpid })
	f.former.mu.Lock()
	delete(f.former.at, dpid)
	delete(f.former.whole, dpid)
	f.former.mu.Unlock()
	f.tree.mu.Lock()
	delete(f.tree.found, dpid)
	f.tree.mu.Unlock()
}

// clear ends all that begins at a switch.
func (d *Datapath) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, pr := range slices.SortedFunc(maps.Keys(d.waiting), comparePairs) {
		w := d.waiting[pr]
		w.over = true
		d.moved(w)
		d.dropHeld(w)
		d.f.retired.add(left{d, w.pr, w.path, d.f.drained(w.path)})
	}
	clear(d.waiting)
	d.slow = nil
	var pairs []pair
	d.pairs.each(func(pr pair, _ flow) bool { pairs = append(pairs, pr); return true })
	slices.SortFunc(pairs, comparePairs)
	for _, pr := range pairs {
		fl, _ := d.pairs.get(pr)
		d.end(pr, fl)
	}
}
