package discovery

import "github.com/weirnet/weir/netview"

// makeRoom deletes the longest disconnected switch without configuration if Limits.Switches is
// reached. Connected switches stay: sessions have a limit of their own.
func (c *Core) makeRoom() {
	if len(c.devices) < c.limits.Switches {
		return
	}
	if oldest := c.longestDisconnected(nil); oldest != nil {
		c.evict(oldest)
	}
}

// longestDisconnected returns the switch, other than but, that has been disconnected for the
// longest time and has no configuration; short-lived switches come first.
func (c *Core) longestDisconnected(but *device) (oldest *device) {
	if len(c.shortLived) > 0 && c.shortLived[0] != but {
		return c.shortLived[0]
	}
	for _, d := range c.sortedDevices() {
		if _, configured := c.settings.Switches[d.dpid]; !d.connected && !configured && d != but &&
			(oldest == nil || d.disconnectedAt.Before(oldest.disconnectedAt)) {
			oldest = d
		}
	}
	return oldest
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
		c.dropPending(p.at)
		c.seen.remove(c.seen.hashPort(p.at))
	}
	var hosts []*netview.Host
	for _, p := range d.ports {
		hosts = append(hosts, c.hostsAt(p.at)...)
	}
	for _, h := range hosts {
		c.deleteHost(h)
	}
	c.control.sessionReturned(d.dpid)
	c.keepDevice(d)
	c.removeSuccession(d)
	c.Counts.Ports.Add(-int64(len(d.ports)))
	delete(c.devices, d.dpid)
	delete(c.edited, d.dpid)
	c.hostCount -= c.dropStrayHosts(d.dpid)
	c.tx.DeleteSwitch(d.dpid)
}

// dropStrayHosts cleans up the hosts that are left at ports which a switch no longer has, and
// returns their number.
func (c *Core) dropStrayHosts(dpid netview.DPID) (n int) {
	for h := range c.tx.HostsOf(dpid) {
		c.endUnverified(h.HostID)
		c.dropSeen(h)
		delete(c.addressAges, h.HostID)
		delete(c.hostNotes, h.HostID)
		n++
	}
	return n
}
