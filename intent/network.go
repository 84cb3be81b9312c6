package intent

import (
	"slices"

	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/netview"
)

// scanAtOnce is the number of paths over changed links that are always looked at in one step.
const scanAtOnce = 64

// applyUpdate applies changes of the network.
func (c *Core) applyUpdate(f *NetworkUpdate) {
	settling := f.Snap.Settled() && !c.network.Settled
	left := c.ports.removed(f)
	*c.network = paths.Network{Snap: f.Snap, Map: f.Map, Settled: f.Snap.Settled()}
	c.tags.hostsSeen(f)
	if f.Resync || settling {
		c.reevaluateAll()
		c.portsRemoved(left)
		return
	}
	c.portsRemoved(left)
	var links, switches, hosts bool
	for i := range f.Changes {
		switch f.Changes[i].Kind {
		case netview.KindLink:
			links = true
		case netview.KindSwitch:
			switches = true
		case netview.KindHost:
			hosts = true
		}
	}
	if links {
		c.linksChanged(f.Changes)
	}
	if switches {
		c.switchesChanged(f.Changes)
	}
	if hosts {
		c.hostsChanged(f.Changes)
	}
}

// reevaluateAll re-evaluates all paths and intents.
func (c *Core) reevaluateAll() {
	c.status.Reset()
	for path := range c.registry.All() {
		c.status.Evaluate(path)
		c.planner.queueIfDrained(path)
	}
	var all []uint32
	for n := range c.entries.End() {
		e := c.entries.At(n)
		if e.content == "" {
			continue
		}
		if all = append(all, n); c.network.Settled && c.tags.mustMove(e) {
			c.timers.Add(c.step.now, n)
		}
	}
	c.queue.replace(all)
	c.waiting.reset()
	c.planner.restart(c.step.now)
}

// linksChanged evaluates the paths over changed links. Intents whose path failed are re-routed
// before all else, in the order of numbers; where many paths are to be looked at, the users of the first
// ones that failed before that.
func (c *Core) linksChanged(changes []netview.Change) {
	keys, up := linksOf(changes)
	c.tags.linksNarrowed(changes, up)
	c.status.Scan(keys)
	if len(c.queue.uprooted) == 0 && c.status.Into(keys) > scanAtOnce {
		c.queue.addBroken(c.status.ScanFirst(firstReroutes))
	} else {
		c.scanRest()
	}
	if up {
		c.waiting.retryPathless()
	}
	c.planner.linksChanged(c.network.Map, changes, c.step.now)
}

// scanRest evaluates the paths over changed links that have not been looked at yet.
func (c *Core) scanRest() {
	if !c.status.Pending() {
		return
	}
	found := c.status.ScanRest()
	for _, path := range found.Draining {
		c.planner.queueIfDrained(path)
	}
	c.queue.addBroken(found.Broken)
	for _, n := range inOrder(found.Changed) {
		c.progress.refresh(n)
	}
}

// linksOf returns the links that have changed, each once, and whether any of them is usable. The
// cost of a direction may depend on the other direction, so both are included.
func linksOf(changes []netview.Change) (keys []netview.LinkKey, up bool) {
	for i := range changes {
		ch := &changes[i]
		if ch.Kind != netview.KindLink {
			continue
		}
		keys = append(keys, ch.Link.LinkKey, ch.Link.Reverse())
		up = up || !ch.Deleted && ch.Link.Usable
	}
	slices.SortFunc(keys, netview.LinkKey.Compare)
	return slices.Compact(keys), up
}

// portsRemoved re-evaluates first the intents whose path uses a removed port. It looks at all
// paths, since ports are removed rarely.
func (c *Core) portsRemoved(left map[netview.Point]bool) {
	if len(left) == 0 {
		return
	}
	through := func(path *paths.Path) bool { return path.AnyPort(func(p netview.Point) bool { return left[p] }) }
	var list []uint32
	for path := range c.registry.All() {
		if path.Used() && through(path) {
			list = append(list, path.Users()...)
		}
	}
	for _, n := range inOrder(list) {
		e := c.entries.At(n)
		if e.rules != nil && !e.has(withdrawing) && c.registry.Any(e.rules, through) {
			c.queue.addUprooted(n)
		}
	}
}

// switchesChanged re-evaluates the intents that wait for a switch or one of its ports, and those
// without a path if a switch was deleted: they wait for it from then on.
func (c *Core) switchesChanged(changes []netview.Change) {
	forgotten := false
	for i := range changes {
		ch := &changes[i]
		if ch.Kind != netview.KindSwitch {
			continue
		}
		if ch.Deleted {
			forgotten = true
			continue
		}
		c.waiting.switchCame(ch.Switch.DPID)
	}
	if forgotten {
		c.waiting.retryPathless()
	}
}

// hostsChanged re-evaluates the intents of hosts that have appeared or moved, and those without a
// path to a host that was deleted.
func (c *Core) hostsChanged(changes []netview.Change) {
	for _, n := range c.hosts.of(changes) {
		e := c.entries.At(n)
		waits := e.rules == nil && (e.code == HostUnknown || e.code == NoPath || e.code == LinkDown)
		if waits || e.rules != nil && !e.has(restorable) && !e.has(withdrawing) && c.hosts.moved(e) {
			c.reevaluate(n)
		}
	}
}
