package intent

import (
	"github.com/weirnet/weir/netview"
)

// removedPorts returns the ports that were removed or replaced since the last step. Switches are
// compared change by change: the snapshot may be newer.
func (c *Core) removedPorts(f *NetworkUpdate) map[netview.Point]bool {
	var left map[netview.Point]bool
	take := func(dpid netview.DPID, now *netview.Switch) {
		was := c.lastSwitches[dpid]
		if now == nil {
			delete(c.lastSwitches, dpid)
		} else {
			c.lastSwitches[dpid] = now
		}
		if was == nil {
			return
		}
		for _, number := range netview.PortsLeft(was, now) {
			if left == nil {
				left = make(map[netview.Point]bool)
			}
			left[netview.Point{DPID: dpid, Port: number}] = true
		}
	}
	if f.Resync {
		for sw := range f.Snap.Switches() {
			take(sw.DPID, sw)
		}
		for dpid := range c.lastSwitches {
			if _, there := f.Snap.Switch(dpid); !there {
				take(dpid, nil)
			}
		}
		return left
	}
	for i := range f.Changes {
		if ch := &f.Changes[i]; ch.Kind == netview.KindSwitch && ch.Deleted {
			take(ch.Switch.DPID, nil)
		} else if ch.Kind == netview.KindSwitch {
			take(ch.Switch.DPID, ch.Switch)
		}
	}
	return left
}

// portsRemoved re-evaluates first the intents whose path uses a removed port. It looks at all
// paths, since ports are removed rarely.
func (c *Core) portsRemoved(left map[netview.Point]bool) {
	if len(left) == 0 {
		return
	}
	through := func(path *sharedPath) bool { return path.anyPort(func(p netview.Point) bool { return left[p] }) }
	var list []uint32
	for _, path := range c.paths.list {
		if path != nil && path.users.count() > 0 && through(path) {
			list = append(list, path.users.list...)
		}
	}
	for _, n := range inOrder(list) {
		e := c.entries.at(n)
		if e.rules == nil || e.has(withdrawing) || !c.anyPath(e.rules, through) {
			continue
		}
		c.portsChanged[n] = true
		c.broken = append(c.broken, n)
	}
}

// rerouteFromPorts re-routes an intent of which a port was removed. The old rules are removed at once:
// what they send to the port's number may go elsewhere by now, and may loop.
func (c *Core) rerouteFromPorts(n uint32, e *coreEntry) {
	c.decide(n, byFailure)
	if e.transition == nil {
		return
	}
	c.retireNow(n, e)
}
