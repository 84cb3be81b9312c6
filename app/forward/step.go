package forward

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// Step applies changes of the view, a snapshot that holds them and the topology at it. It is called
// on one goroutine, in the order of the changes. If the snapshot holds no others (whole), it costs
// time in the number of changes, and not in the size of the network.
func (f *Forward) Step(changes []netview.Change, snap *netview.Snapshot, m *topology.Map, whole bool) {
	down := make(map[netview.LinkKey]bool)
	moved := make(map[uint64]netview.Point)
	var what struct{ switches, links bool } // that have changed
	left := f.portsLeft(changes, snap, whole)
	f.forgetPlaces(left, snap)
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
	if what.links { // before paths are chosen
		f.linksChanged(m, changes)
	}
	f.deletePortRules(left)
	if f.cfg.Broadcast != nil {
		f.cfg.Broadcast.Applied(snap.Revision())
	}
	if what.links {
		f.rerouteBroken(down, m)
		f.recheck = true
	}
	if len(moved) > 0 {
		f.followHosts(moved)
		f.endRelocated(moved)
	}
	if what.links || what.switches {
		f.inherited.markChanged()
	}
	if what.links || !whole {
		f.mover.drains.take(changes, snap, whole)
	}
	if what.links && len(f.mover.drains) > 0 {
		f.planMoves()
	}
	if what.switches || !whole {
		f.forgetSwitches(changes, snap, whole)
	}
	f.revision.Store(uint64(snap.Revision()))
}

// drains are the links that paths are to leave.
type drains map[netview.LinkKey]bool

// take applies changes; whole: nothing else has changed.
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

// host updates the index of hosts; it reports whether a known host has moved, and where it was. One
// whose port is gone has no place until it is seen again.
func (f *Forward) host(c *netview.Change, snap *netview.Snapshot) (was netview.Point, elsewhere bool) {
	key := hostKeyOf(c.Host)
	if c.Deleted || c.Host.State == netview.HostUnconfirmed && portGone(snap, c.Host.At) {
		f.forgetPlace(key)
		return netview.Point{}, false
	}
	old, had := f.hosts.get(key)
	known := had
	if !had {
		old, had = f.deletedHosts[key]
		delete(f.deletedHosts, key)
	}
	if now := (hostPlace{at: c.Host.At}); !known || old != now {
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
	f.Step(changes, snap, m, false)
}

// Second is called once a second, on Step's goroutine: it resets the limits per second, retries
// moves, continues planned moves, and deletes the rules of retired paths.
func (f *Forward) Second() {
	now := f.seconds.Add(1)
	f.directsLeft.Store(DirectPerSecond)
	f.publishBackoff()
	f.adoptAll(now)
	if f.recheck {
		f.recheck = false
		f.recheckPathless()
	}
	f.retry()
	for _, d := range f.datapaths() {
		if out := d.conn.Load(); out != nil {
			d.resumeDelayed(out, f.clock())
		} else {
			d.abandonDelayed()
		}
		if d.refusal.over(now) {
			f.acceptsAgain(d)
		}
	}
	if f.currentMap() != nil {
		f.planMoves()
	}
	f.retired.delete(now)
}
