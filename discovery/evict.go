package discovery

import "slices"

// makeRoom deletes the longest disconnected switch without configuration if Limits.Switches is
// reached. Connected switches stay: sessions have a limit of their own.
func (c *Core) makeRoom() {
	if len(c.devices) < c.limits.Switches {
		return
	}
	if oldest := c.strangers.longestDisconnected(nil); oldest != nil {
		c.evict(oldest)
	}
}

// evict deletes a switch to make room.
func (c *Core) evict(d *device) {
	c.remove(d)
	c.Counts.Evicted.Add(1)
}

// remove deletes a switch with its links and hosts.
func (c *Core) remove(d *device) {
	for _, p := range d.ports {
		p.up = false // so that removeLink does not re-evaluate it
		for _, e := range p.links() {
			c.removeLink(e)
		}
		c.deferred.take(p.at)
		c.seen.remove(c.seen.hashPort(p.at))
	}
	for _, h := range slices.Collect(c.tx.HostsOf(d.dpid)) {
		c.deleteHost(h)
	}
	c.control.sessionReturned(d.dpid)
	c.strangers.keep(d)
	c.removeSuccession(d)
	c.Counts.Ports.Add(-int64(len(d.ports)))
	delete(c.devices, d.dpid)
	delete(c.edited, d.dpid)
	c.tx.DeleteSwitch(d.dpid)
}
