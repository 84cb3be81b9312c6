package forward

import (
	"cmp"
	"github.com/weirnet/weir/openflow"
	"slices"
	"sync/atomic"

	"github.com/weirnet/weir/app/forward/admission"
	"github.com/weirnet/weir/app/forward/index"
	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// target is a switch as all see it that write rules to it. Any goroutine may use it.
type target struct {
	id      netview.DPID
	conn    atomic.Pointer[outlet.Conn] // nil while there is no connection
	refusal admission.Refusal
	silence silence
}

// switchTable has the switches that were ever attached, and are not forgotten. Any goroutine looks them up; who
// has the lock changes them.
type switchTable struct {
	byID index.Index[*Datapath]
	lock chan struct{} // of one

	silentOnes atomic.Int32 // how many are silent
}

func newSwitchTable() switchTable { return switchTable{lock: make(chan struct{}, 1)} }

// get returns a switch; nil if there is none.
func (t *switchTable) get(dpid netview.DPID) *Datapath {
	d, _ := t.byID.Get(uint64(dpid))
	return d
}

// conn returns the connection of a switch; nil if there is none.
func (t *switchTable) conn(dpid netview.DPID) *outlet.Conn {
	if d := t.get(dpid); d != nil {
		return d.conn.Load()
	}
	return nil
}

// all returns the switches by datapath id.
func (t *switchTable) all() []*Datapath {
	var all []*Datapath
	t.byID.Each(func(d *Datapath) { all = append(all, d) })
	slices.SortFunc(all, func(a, b *Datapath) int { return cmp.Compare(a.id, b.id) })
	return all
}

// heard notes that a switch that was silent is not any more.
func (t *switchTable) heard(was bool) {
	if was {
		t.silentOnes.Add(-1)
	}
}

// connected reports whether all switches of a path are.
func (t *switchTable) connected(hops []topology.Hop) bool {
	return !slices.ContainsFunc(hops, func(h topology.Hop) bool { return t.conn(h.DPID) == nil })
}

// Attach sets the connection of a switch in the session of an epoch, and returns its Datapath, which
// gets PacketIn, BatchEnd and FlowRemoved.
func (f *Forward) Attach(dpid netview.DPID, epoch uint64, version openflow.Version, tables uint8, out outlet.Switch) *Datapath {
	f.switches.lock <- struct{}{}
	defer func() { <-f.switches.lock }()
	d := f.switches.get(dpid)
	if d == nil {
		d = newDatapath(dpid, f.shared)
		f.switches.byID.Put(uint64(dpid), d)
	}
	d.attached(epoch)
	f.switches.heard(d.silence.begins(f.clock.beats.Load()))
	d.conn.Store(outlet.NewConn(out, version, tables))
	return d
}

// Detach removes the connection, unless a newer one has replaced it. Pairs stay.
func (d *Datapath) Detach(out outlet.Switch) {
	if o := d.conn.Load(); o != nil && o.Switch == out {
		d.conn.CompareAndSwap(o, nil)
	}
}

// forget forgets the switches that are not in the view and not connected: those that changes name, or, unless
// these are all, any.
func (f *Forward) forget(changes []netview.Change, snap *netview.Snapshot, whole bool) {
	if !whole {
		for _, d := range f.switches.all() {
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
	f.switches.lock <- struct{}{}
	defer func() { <-f.switches.lock }()
	d := f.switches.get(dpid)
	if _, there := snap.Switch(dpid); there || d != nil && d.conn.Load() != nil {
		return
	}
	if d != nil {
		d.installer.clear()
		f.switches.heard(d.silence.begins(0))
		f.refusals.forget(&d.target)
		f.switches.byID.Remove(uint64(dpid))
	}
	f.places.ForgetSwitch(dpid)
	f.inherited.forget(dpid)
}
