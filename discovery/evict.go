package discovery

import "github.com/weirnet/weir/netview"

// makeRoom forgets the switch that has been disconnected for the longest time and that nothing is configured of, if as
// many are known as may be. Those that are connected stay: sessions have a limit of their own.
func (c *Core) makeRoom() {
	if len(c.devices) < c.cfg.Limits.Switches {
		return
	}
	if oldest := c.longestGone(nil); oldest != nil {
		c.evict(oldest)
	}
}

// longestGone is the switch, but for one, that has been disconnected for the longest time and that nothing is configured of;
// one that was there for a moment only comes before all others.
func (c *Core) longestGone(but *device) (oldest *device) {
	if len(c.passing) > 0 && c.passing[0] != but {
		return c.passing[0]
	}
	for _, d := range c.inOrder() {
		if _, configured := c.settings.Switches[d.dpid]; !d.connected && !configured && d != but && (oldest == nil || d.lost.Before(oldest.lost)) {
			oldest = d
		}
	}
	return oldest
}

// evict forgets a switch for want of room.
func (c *Core) evict(d *device) {
	c.remove(d)
	c.Counts.Evicted.Add(1)
}

// remove takes a switch out of all that is known, with its links and hosts.
func (c *Core) remove(d *device) {
	for _, p := range d.ports {
		p.up = false // so that it is not looked at anew
		for _, e := range p.edges() {
			c.dropEdge(e)
		}
		c.dropPending(p.at)
		c.known.remove(c.known.hashPort(p.at))
	}
	var hosts []*netview.Host
	for _, p := range d.ports {
		hosts = append(hosts, c.hostsAt(p.at)...)
	}
	for _, h := range hosts {
		c.deleteHost(h)
	}
	c.returned(d.dpid)
	c.stays(d)
	c.Counts.Ports.Add(-int64(len(d.ports)))
	delete(c.devices, d.dpid)
	delete(c.edited, d.dpid)
	c.hosts -= c.strays(d.dpid)
	c.tx.DeleteSwitch(d.dpid)
}

// strays counts the hosts that are left at a switch: at ports that it has no more.
func (c *Core) strays(dpid netview.DPID) (n int) {
	for h := range c.tx.HostsOf(dpid) {
		c.endUnasked(h.HostID)
		c.forget(h)
		delete(c.ages, h.HostID)
		delete(c.notes, h.HostID)
		n++
	}
	return n
}
