package forward

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// Step takes changes of the view, a snapshot that holds them and the topology at it. It is called on one goroutine, in
// the order of the changes.
func (f *Forward) Step(changes []netview.Change, snap *netview.Snapshot, m *topology.Map) {
	down := make(map[netview.LinkKey]bool)
	moved := make(map[uint64]netview.Point)
	var what seen
	for i := range changes {
		c := &changes[i]
		switch c.Kind {
		case netview.KindHost:
			if was, elsewhere := f.host(c); elsewhere {
				moved[hostKeyOf(c.Host)] = was
			}
		case netview.KindSwitch:
			what.switches = true
		case netview.KindLink:
			what.links = true
			if c.Deleted || !c.Link.Usable {
				down[c.Link.LinkKey] = true
			}
		case netview.KindRule:
			what.rules = true
		}
	}
	f.topology.Store(m)
	f.snap.Store(snap)
	if what.switches {
		all := edgesOf(snap)
		f.edges.Store(&all)
	}
	f.tree.step(snap, what)
	if what.links {
		f.repairLinks(down, m)
		f.lookForStrayed()
	}
	if len(moved) > 0 {
		f.repairHosts(moved)
		f.endLeft(moved)
	}
	if what.links || what.switches {
		f.former.look()
	}
	if what.links {
		f.mover.calm, f.mover.longer = 0, true
		if f.mover.drains = draining(snap); f.mover.drains {
			f.survey()
		}
	}
	f.revision.Store(uint64(snap.Revision()))
}

// draining tells whether paths are to leave anything.
func draining(snap *netview.Snapshot) bool {
	for l := range snap.Links() {
		if l.Draining {
			return true
		}
	}
	return false
}

// seen says which tables have changed.
type seen struct{ switches, links, rules bool }

// host keeps the index of hosts; it tells whether a host that was known is elsewhere now, and where it was.
func (f *Forward) host(c *netview.Change) (was netview.Point, elsewhere bool) {
	key := hostKeyOf(c.Host)
	old, had := f.hosts.get(key)
	if c.Deleted {
		f.hosts.remove(key)
		if had && len(f.gone) < MaxGone {
			f.gone[key] = old
		}
		return netview.Point{}, false
	}
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
	f.Step(changes, snap, m)
}

// Second is called once a second, on Step's goroutine: it renews what is limited by the second, tries again what could
// not be moved, takes planned moves a step further, and deletes the rules of paths that were left a second ago.
func (f *Forward) Second() {
	now := f.seconds.Add(1)
	f.floods.Store(FloodsPerSecond)
	f.directs.Store(DirectPerSecond)
	f.mover.calm++
	f.takeOver(now)
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
