package forward

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// Step takes changes of the view, a snapshot that holds them and the topology at it. It is called on one goroutine, in
// the order of the changes. It costs time in the number of changes, and not in the size of the network, if the snapshot holds no others.
func (f *Forward) Step(changes []netview.Change, snap *netview.Snapshot, m *topology.Map) {
	upto := netview.Revision(f.revision.Load())
	if len(changes) > 0 {
		upto = changes[len(changes)-1].Revision
	}
	f.step(changes, snap, m, upto == snap.Revision())
}

// step is Step; whole says that the snapshot holds no other changes.
func (f *Forward) step(changes []netview.Change, snap *netview.Snapshot, m *topology.Map, whole bool) {
	down := make(map[netview.LinkKey]bool)
	moved := make(map[uint64]netview.Point)
	var what seen
	left := f.portsLeft(changes, snap, whole)
	f.homeless(left, snap)
	for i := range changes {
		c := &changes[i]
		switch c.Kind {
		case netview.KindHost:
			if was, elsewhere := f.host(c, snap); elsewhere {
				moved[hostKeyOf(c.Host)] = was
			}
		case netview.KindSwitch:
			what.switches = true
		case netview.KindLink:
			what.links = true
			if c.Deleted || !c.Link.Usable {
				down[c.Link.LinkKey] = true
			}
		}
	}
	f.topology.Store(m)
	f.snap.Store(snap)
	f.edge(changes, snap, whole)
	f.withoutPorts(left)
	f.tree.step(snap, changes, whole)
	if what.links {
		f.repairLinks(down, m)
		f.relinked = true
	}
	if len(moved) > 0 {
		f.repairHosts(moved)
		f.endLeft(moved)
	}
	if what.links || what.switches {
		f.former.look()
	}
	if what.links || !whole {
		f.mover.drains.take(changes, snap, whole)
	}
	if what.links {
		f.mover.calm, f.mover.longer = 0, true
		if len(f.mover.drains) > 0 {
			f.survey()
		}
	}
	if what.switches || !whole {
		f.withoutSwitches(changes, snap, whole)
	}
	f.revision.Store(uint64(snap.Revision()))
}

// drains are the links that paths are to leave.
type drains map[netview.LinkKey]bool

// take takes changes in; whole says that nothing else has changed.
func (d drains) take(changes []netview.Change, snap *netview.Snapshot, whole bool) {
	note := func(l *netview.Link) {
		if l.Draining {
			d[l.LinkKey] = true
		} else {
			delete(d, l.LinkKey)
		}
	}
	if !whole {
		clear(d)
		for l := range snap.Links() {
			note(l)
		}
		return
	}
	for i := range changes {
		if c := &changes[i]; c.Kind == netview.KindLink && c.Deleted {
			delete(d, c.Link.LinkKey)
		} else if c.Kind == netview.KindLink {
			note(c.Link)
		}
	}
}

// host keeps the index of hosts; it reports whether a host that was known is elsewhere now, and where it was. One whose port went is
// nowhere, until it is seen again.
func (f *Forward) host(c *netview.Change, snap *netview.Snapshot) (was netview.Point, elsewhere bool) {
	key := hostKeyOf(c.Host)
	if c.Deleted || c.Host.State == netview.HostUnconfirmed && portGone(snap, c.Host.At) {
		f.lost(key)
		return netview.Point{}, false
	}
	old, had := f.hosts.get(key)
	known := had
	if !had {
		old, had = f.gone[key]
		delete(f.gone, key)
	}
	if now := (place{at: c.Host.At}); !known || old != now {
		f.hosts.put(key, now)
	}
	return old.at, had && old.at != c.Host.At
}

// Reset loads the application from a snapshot: at the start, or after changes were missed.
func (f *Forward) Reset(snap *netview.Snapshot, m *topology.Map) {
	var changes []netview.Change
	known := make(map[uint64]bool)
	for h := range snap.Hosts() {
		changes = append(changes, netview.Change{Kind: netview.KindHost, Host: h})
		known[hostKeyOf(h)] = true
	}
	for s := range snap.Switches() {
		changes = append(changes, netview.Change{Kind: netview.KindSwitch, Switch: s})
	}
	for l := range snap.Links() {
		changes = append(changes, netview.Change{Kind: netview.KindLink, Link: l})
	}
	f.hosts.keep(known)
	f.step(changes, snap, m, false)
}

// Second is called once a second, on Step's goroutine: it renews what is limited by the second, tries again what could
// not be moved, takes planned moves a step further, and deletes the rules of paths that were left a second ago.
func (f *Forward) Second() {
	now := f.seconds.Add(1)
	f.floods.Store(FloodsPerSecond)
	f.directs.Store(DirectPerSecond)
	f.mover.calm++
	f.takeOver(now)
	if f.relinked {
		f.relinked = false
		f.lookForStrayed()
	}
	f.retry()
	for _, d := range f.datapaths() {
		if out := d.outlet.Load(); out != nil {
			d.goOn(out, now)
		} else {
			d.abandon()
		}
		if d.refusal.over(now) {
			f.takesAgain(d)
		}
	}
	if f.topology.Load() != nil {
		f.survey()
	}
	f.retired.delete(now)
}
