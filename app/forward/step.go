package forward

import (
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/app/forward/places"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// Step applies changes of the view, a snapshot that holds them and the topology at it. It is called
// on one goroutine, in the order of the changes. If the snapshot holds no others (whole), it costs
// time in the number of changes, and not in the size of the network.
func (f *Forward) Step(changes []netview.Change, snap *netview.Snapshot, m *topology.Map, whole bool) {
	down := make(map[netview.LinkKey]bool)
	moved := make(map[places.Key]netview.Point)
	var what struct{ hosts, switches, links bool } // that have changed; hosts: that have come or moved
	left := places.PortsLeft(f.routes.snap.Load(), snap, changes, whole)
	f.places.Forget(left, snap)
	for i := range changes {
		c := &changes[i]
		switch c.Kind {
		case netview.KindHost:
			key := places.KeyOfHost(c.Host.HostID)
			_, known := f.places.At(key)
			was, elsewhere := f.places.Take(c, snap)
			if elsewhere {
				moved[key] = was
			}
			what.hosts = what.hosts || elsewhere || !known
		case netview.KindSwitch:
			what.switches = true
		case netview.KindLink:
			what.links = true
			if c.Deleted || !c.Link.Usable {
				down[c.Link.LinkKey] = true
			}
		}
	}
	f.routes.stepped.Store(m)
	f.routes.snap.Store(snap)
	if what.links { // before paths are chosen
		f.planner.linksChanged(m, changes)
	}
	if len(left) > 0 {
		f.portsGone(left)
	}
	if f.cfg.Broadcast != nil {
		f.cfg.Broadcast.Applied(snap.Revision())
	}
	if what.links {
		f.repairs.linksDown(down, m)
	}
	if len(moved) > 0 {
		f.repairs.hostsMoved(moved)
	}
	if what.hosts || what.links || what.switches {
		f.inherited.markChanged()
	}
	if what.links || !whole {
		f.planner.takeDrains(changes, snap, whole)
	}
	if what.links && len(f.planner.drains) > 0 {
		f.planner.plan()
	}
	if what.switches || !whole {
		f.forget(changes, snap, whole)
	}
	f.revision.Store(uint64(snap.Revision()))
}

// portsGone deletes the rules that send to ports which are gone, or have other numbers now. A rule names a port by
// its number, and means what is behind it: these rules go before the tree changes, before a pair moves, and before
// a host is learned behind the new port. Otherwise a rule for a host would send into a link, and between two
// parallel links its packets would loop.
func (f *Forward) portsGone(left map[netview.Point]bool) {
	dead := f.repairs.deletePorts(left)
	f.adopter.portsGone(left)
	f.repairs.moveDead(dead)
}

// Reset loads the application from a snapshot: at the start, or after changes were missed.
func (f *Forward) Reset(snap *netview.Snapshot, m *topology.Map) {
	var changes []netview.Change
	for h := range snap.Hosts() {
		changes = append(changes, netview.Change{Kind: netview.KindHost, Host: h})
	}
	for s := range snap.Switches() {
		changes = append(changes, netview.Change{Kind: netview.KindSwitch, Switch: s})
	}
	for l := range snap.Links() {
		changes = append(changes, netview.Change{Kind: netview.KindLink, Link: l})
	}
	f.places.Keep(snap)
	f.Step(changes, snap, m, false)
}

// Second is called once a second, on Step's goroutine: it resets the limits per second, retries
// moves, continues planned moves, and deletes the rules of retired paths.
func (f *Forward) Second() {
	f.clock.seconds.Add(1)
	f.refusals.direct.Second()
	f.planner.publishBackoff()
	f.adopter.second()
	f.repairs.second()
	for _, d := range f.switches.all() {
		if out := d.conn.Load(); out != nil {
			d.installer.resume(out)
		} else {
			d.installer.abandonDelayed()
		}
		f.refusals.review(&d.target)
	}
	if f.routes.current() != nil {
		f.planner.plan()
	}
	f.cleaner.due()
}

// Continue starts queued moves when others have ended; Follower.Woken calls it, on Step's goroutine.
func (f *Forward) Continue() { f.planner.start() }

// RulesListed takes the list of the pair rules that a switch holds; whole: there are no others.
// Known pairs whose rule was sent on an earlier connection and is not listed have expired. What an earlier run has
// written is remembered until its pairs can be adopted. Any goroutine may call it.
func (f *Forward) RulesListed(dpid netview.DPID, rules []SoftRule, whole bool) {
	if d := f.switches.get(dpid); d != nil && whole {
		held := make(map[pairs.Pair]bool, len(rules))
		for i := range rules {
			if pr, ok := pairs.OfMatch(rules[i].Match); ok {
				held[pr] = true
			}
		}
		d.listed(held)
	}
	f.adopter.listed(dpid, rules, whole)
}
