package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// portStatus handles a port that was added, deleted or modified. It ignores late messages of a
// disconnected switch.
func (c *Core) portStatus(dpid netview.DPID, reason openflow.PortReason, of *openflow.Port) {
	d := c.devices[dpid]
	if d == nil || !d.connected {
		return
	}
	r := c.portRow(dpid, of)
	i, known := d.search(r.Number)
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
	case !known && !c.roomForPort(d):
		return
	case !known:
		p := c.newPort(d, &r)
		p.appeared, p.sentCleared = c.sinceStart(), c.now // earlier probes from and to its number were another port's
		d.ports = slices.Insert(d.ports, i, p)
		c.Counts.Ports.Add(1)
		c.pace.ports++
		row := c.editRow(dpid)
		row.Ports = slices.Insert(row.Ports, i, r)
		c.scheduleRounds(d)
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
		c.startProbing(p)
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
	c.forgetProbes(p)
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
	p.quietSince = c.now
	c.classifications.add(c.now.Add(c.pace.settle), deadline{p.at, p.quietSince})
}

// classifyPort makes an unknown port an edge if it has been silent long enough. Otherwise it is
// called again.
func (c *Core) classifyPort(d deadline) {
	p := c.port(d.at)
	if p == nil || !p.up || p.role != netview.PortUnknown || !p.quietSince.Equal(d.since) || !p.device.connected {
		return
	}
	at, ok := c.edgeTime(p)
	switch {
	case !ok:
		at = c.now.Add(c.pace.period)
	case at.After(c.now):
	case !c.heardSinceSilence(p):
		at = c.now.Add(c.pace.settle)
	default:
		p.history = historyNone
		c.setRole(p, netview.PortEdge)
		c.settleEarly(p.device)
		return
	}
	c.classifications.add(at, d)
}

// edgeTime returns when a port becomes an edge if it stays silent: by its history, and counted from
// the last connection of a new switch, whose probes would have been heard here. If too few probes
// have been sent it is later.
func (c *Core) edgeTime(p *port) (at time.Time, ok bool) {
	from, long, probes, ok := c.requiredSilence(p)
	if !ok {
		return at, false
	}
	at = from.Add(long)
	if newest, latest := c.lastNewSwitch.Add(c.pace.settle), at.Add((maxSettles-1)*c.pace.settle); newest.After(at) {
		at = newest
		if at.After(latest) {
			at = latest
		}
	}
	nth := 2*probes - 1 // each is a near and a far one
	if s := p.sent.sentAt(nth); !at.After(c.now) && (s == 0 || c.started.Add(s).Before(from)) {
		at = c.now.Add(c.pace.settle)
	}
	return at, true
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
		c.startEdgeTime(p)
		c.admitDeferred(p)
		c.querySuccessor(p)
	}
}
