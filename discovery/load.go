package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// Load restores the view of the previous process: before anything else, in a transaction of its
// own. Everything is unconfirmed until there is evidence: switches are disconnected, links and
// hosts where they were. Inconsistent rows are dropped. Rows belong to the view from then on.
func (c *Core) Load(switches []*netview.Switch, links []*netview.Link, hosts []*netview.Host) {
	for _, row := range switches {
		if c.devices[row.DPID] == nil && len(c.devices) < c.limits.Switches {
			c.loadSwitch(row)
		}
	}
	for _, l := range links {
		c.loadLink(l)
	}
	for _, l := range links {
		c.loadLost(l)
	}
	for _, d := range c.sortedDevices() {
		c.loadRoles(d)
	}
	for _, h := range hosts {
		if p := c.port(h.At); p != nil && p.role != netview.PortLink {
			c.hosts.restore(p, h)
		}
	}
}

// loadSwitch adds a disconnected switch with its ports. Where a link was a link may be.
func (c *Core) loadSwitch(old *netview.Switch) {
	row := *old
	row.State, row.Connected, row.Settled, row.Since = netview.SwitchDisconnected, false, false, c.now
	row.Name = row.OwnName() // configuration is applied again
	row.Ports = slices.Clone(old.Ports)
	sortPorts(&row)
	d := c.newDevice(row.DPID)
	d.disconnectedAt, d.established = c.now, true
	for i := range row.Ports {
		r := &row.Ports[i]
		r.Edge = c.settings.Ports[netview.Point{DPID: row.DPID, Port: r.Number}].Edge
		p := c.newPort(d, r)
		p.up, p.quietSince, p.sentCleared = r.Up, c.now, c.now
		switch {
		case r.Role == netview.PortLink && !p.configuredEdge:
			p.history = historyRestored
		case r.Role == netview.PortEdge && p.up:
			p.role = netview.PortEdge
		}
		d.ports = append(d.ports, p)
	}
	c.Counts.Ports.Add(int64(len(d.ports)))
	c.putRow(&row)
}

// loadLink adds a link between two ports that were up.
func (c *Core) loadLink(l *netview.Link) {
	src, dst := c.port(l.Src), c.port(l.Dst)
	if src == nil || dst == nil || !src.up || !dst.up || src.configuredEdge || dst.configuredEdge || !l.Up ||
		src.linkTo(dst) != nil ||
		len(src.out) >= maxPortLinks || len(dst.in) >= maxPortLinks {
		return
	}
	near := l.State != netview.LinkIndirect && l.State != netview.LinkShared
	e := c.links.add(src, dst, near, l.State == netview.LinkIndirect && !c.cables.trusted(src, dst))
	if e.created = (time.Time{}); near { // it was not heard yet
		setProven(e)
	}
	src.pastLink, dst.pastLink = pastLink{historyUnobserved, l.Dst}, pastLink{historyUnobserved, l.Src}
}

// loadLost restores the history of a port whose link was lost. It may be a link again, and its
// other end may forward while disconnected; so hosts are not admitted at such a port until there is
// evidence (requiredSilence in classify.go).
func (c *Core) loadLost(l *netview.Link) {
	src, dst := c.port(l.Src), c.port(l.Dst)
	if l.Up || src == nil || dst == nil || src == dst || src.configuredEdge || src.role != netview.PortUnknown ||
		len(src.in)+len(src.out) > 0 {
		return
	}
	src.pastLink = pastLink{historyUnobserved, l.Dst}
	if l.State == netview.LinkConfirmed || l.State == netview.LinkUnconfirmed {
		src.provenPeer = l.Dst
	}
	c.links.restoreLost(l)
}

// loadRoles writes the roles of a switch's ports, and the links from it.
func (c *Core) loadRoles(d *device) {
	row := c.edited[d.dpid]
	for i, p := range d.ports {
		if len(p.in)+len(p.out) > 0 {
			p.role = netview.PortLink
			c.seen.add(c.seen.hashPort(p.at))
		}
		row.Ports[i].Role = p.role
		for _, e := range p.out {
			c.tx.PutLink(&netview.Link{LinkKey: e.key(), Up: true, State: e.state(), Since: c.now})
		}
	}
}
