package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// PortStatus handles a port that was added, deleted or modified. It ignores late messages of a
// disconnected switch.
func (c *Core) PortStatus(dpid netview.DPID, reason openflow.PortReason, of *openflow.Port) {
	d := c.devices[dpid]
	if d == nil || !d.connected {
		return
	}
	r := c.portRow(dpid, of)
	i, known := searchPort(d.ports, r.Number)
	if known && reason != openflow.PortDeleted && !d.ports[i].is(&r) { // replaced by another port
		c.portDeleted(d, i)
		known = false
	}
	switch {
	case reason == openflow.PortDeleted:
		if known {
			c.portDeleted(d, i)
		}
		return
	case !known && !c.strangers.roomForPort(d):
		return
	case !known:
		p := c.newPort(d, &r)
		p.appeared, p.sentCleared = c.sinceStart(), c.now // earlier probes from and to its number were another port's
		d.ports = slices.Insert(d.ports, i, p)
		c.Counts.Ports.Add(1)
		c.pace.ports++
		row := c.editRow(dpid)
		row.Ports = slices.Insert(row.Ports, i, r)
		c.prober.scheduleRounds(d)
	}
	c.portChanged(d.ports[i], i, r)
}

// portChanged updates a port and its row, the i-th of the switch, from a port status.
func (c *Core) portChanged(p *port, i int, r netview.Port) {
	r.Role = p.role
	if old, ok := c.tx.Switch(p.at.DPID); !ok || old.Ports[i] != r {
		c.editRow(p.at.DPID).Ports[i] = r
	}
	switch {
	case p.up && !r.Up:
		c.portDown(p)
	case !p.up && r.Up:
		c.portUp(p)
		c.prober.start(p)
	}
}

func (c *Core) portDeleted(d *device, i int) {
	p := d.ports[i]
	if p.up {
		c.portDown(p)
	}
	c.rememberRemoved(d, p)
	row := c.editRow(d.dpid)
	row.Ports = slices.Delete(row.Ports, i, i+1)
	d.ports = slices.Delete(d.ports, i, i+1)
	c.Counts.Ports.Add(-1)
	c.pace.ports--
}

// portUp starts the discovery at a port that came up.
func (c *Core) portUp(p *port) {
	p.up = true
	p.hosts = 0
	for range c.tx.HostsAt(p.at) {
		p.hosts++
	}
	c.setUnknown(p)
}

// portDown removes a port's links, in both directions, and makes its hosts unconfirmed.
func (c *Core) portDown(p *port) {
	p.up, p.edgeSince = false, time.Time{}
	p.noteCarrierLost()
	c.prober.forget(p)
	p.vacatedAt, p.queriedAt, p.querying = time.Time{}, time.Time{}, false
	for _, e := range p.links() {
		c.removeLink(e)
	}
	c.hosts.setUnconfirmed(p)
	c.deferred.take(p.at)
	c.setRole(p, netview.PortUnknown)
}

// setUnknown makes a port's role unknown and starts its classification. One that is configured as
// edge becomes an edge.
func (c *Core) setUnknown(p *port) {
	if p.configuredEdge {
		p.history = historyNone
		c.setRole(p, netview.PortEdge)
		return
	}
	c.setRole(p, netview.PortUnknown)
	c.classifier.start(p)
}

// classifyPort makes an unknown port an edge if it has been silent long enough.
func (c *Core) classifyPort(d deadline) {
	if p := c.classifier.due(d); p != nil {
		p.history = historyNone
		c.setRole(p, netview.PortEdge)
		c.settleEarly(p.device)
	}
}

// setRole changes a port's role, with its consequences: no hosts at a link; deferred sightings are
// admitted at an edge.
func (c *Core) setRole(p *port, role netview.PortRole) {
	if p.role == role {
		return
	}
	if p.role == netview.PortLink {
		c.seen.remove(c.seen.hashPort(p.at))
	}
	p.role = role
	row := c.editRow(p.at.DPID)
	if i := slices.IndexFunc(row.Ports, func(r netview.Port) bool { return r.Number == p.at.Port }); i >= 0 {
		row.Ports[i].Role = role
	}
	switch role {
	case netview.PortLink:
		c.seen.add(c.seen.hashPort(p.at))
		c.deferred.take(p.at)
		c.expelHosts(p)
	case netview.PortEdge:
		c.cables.startEdgeTime(p)
		c.admitDeferred(p)
		c.querySuccessor(p)
	}
}
