package forward

import (
	"maps"
	"slices"

	"github.com/weirnet/weir/netview"
)

// forgetSwitches forgets the switches that are not in the view and not connected: those that
// changes name, or, unless these are all, any.
func (f *Forward) forgetSwitches(changes []netview.Change, snap *netview.Snapshot, whole bool) {
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

// forgetSwitch forgets a switch that was deleted. Its pairs end: their rules at other switches are
// deleted later.
func (f *Forward) forgetSwitch(dpid netview.DPID, snap *netview.Snapshot) {
	f.attach <- struct{}{}
	defer func() { <-f.attach }()
	d := f.datapath(dpid)
	if _, there := snap.Switch(dpid); there || d != nil && d.conn.Load() != nil {
		return
	}
	if d != nil {
		d.clear()
		f.switches.remove(uint64(dpid))
	}
	maps.DeleteFunc(f.deletedHosts, func(_ uint64, was hostPlace) bool { return was.at.DPID == dpid })
	f.inherited.mu.Lock()
	delete(f.inherited.at, dpid)
	delete(f.inherited.whole, dpid)
	f.inherited.mu.Unlock()
}

// clear ends all pairs and installs of a switch.
func (d *Datapath) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, pr := range slices.SortedFunc(maps.Keys(d.installs), comparePairs) {
		w := d.installs[pr]
		w.abandoned = true
		d.freeMoveSlot(w)
		d.dropHeld(w)
		d.retire(w.pr, w.path)
	}
	clear(d.installs)
	d.delayed = nil
	for _, pr := range d.pairsWhere(func(pair, flow) bool { return true }) {
		fl, _ := d.pairs.get(pr)
		d.endPair(pr, fl)
	}
}
