package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// applyUpdate applies changes of the network.
func (c *Core) applyUpdate(f *NetworkUpdate) {
	settling := f.Snap.Settled() && !c.settled
	left := c.removedPorts(f)
	c.snap, c.settled = f.Snap, f.Snap.Settled()
	c.m = f.Map
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
	for _, s := range c.paths.inPorts.list {
		if s != nil {
			s.measured = false
		}
	}
	for _, path := range c.paths.list {
		if path != nil {
			c.paths.evaluate(path, c.m, c.settled)
			c.queueIfDrained(path)
		}
	}
	c.broken, c.queue = nil, nil
	for n := range c.entries.end() {
		if c.entries.at(n).content != "" {
			c.queue = append(c.queue, n)
		}
	}
	clear(c.waitingFor)
	c.takePathless()
	c.planner.restart(c.now)
}

// linksChanged evaluates the paths over changed links. Intents whose path failed are re-routed
// before all else, in the order of numbers; where many paths are to be looked at, the users of the first
// ones that failed before that.
func (c *Core) linksChanged(changes []netview.Change) {
	keys, up := linksOf(changes)
	c.scan.keys = keys
	if len(c.portsChanged) == 0 && c.pathsInto(keys) > scanAtOnce {
		c.broken = append(c.broken, inOrder(c.scanLinks(firstReroutes))...)
	} else {
		c.scanRest()
	}
	if up {
		c.retryPathless()
	}
	c.planner.linksChanged(c.m, changes, c.now)
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
		if list := c.waitingFor[ch.Switch.DPID]; len(list) > 0 {
			delete(c.waitingFor, ch.Switch.DPID)
			c.enqueue(list)
		}
	}
	if forgotten {
		c.retryPathless()
	}
}
