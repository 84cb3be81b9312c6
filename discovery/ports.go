package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// portStatus handles a port that came, went or changed. Of a switch that is not connected it is late, and ignored.
func (c *Core) portStatus(dpid netview.DPID, reason openflow.PortReason, of *openflow.Port) {
	d := c.devices[dpid]
	if d == nil || !d.connected {
		return
	}
	r := c.portRow(dpid, of)
	i, known := d.search(r.Number)
	if known && reason != openflow.PortDeleted && !d.ports[i].is(&r) { // the one that was there went, and this one came
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
		p.came, p.forgot = c.since(), c.now // what was sent to its number before, or by it, was another port's
		d.ports = slices.Insert(d.ports, i, p)
		c.Counts.Ports.Add(1)
		c.pace.ports++
		row := c.edit(dpid)
		row.Ports = slices.Insert(row.Ports, i, r)
		c.scheduleRounds(d)
	}
	c.portChanged(d.ports[i], i, r)
}

// portChanged brings a port and its row, the i-th of the switch, to what a port status says.
func (c *Core) portChanged(p *port, i int, r netview.Port) {
	r.Role = p.role
	if old, ok := c.tx.Switch(p.at.DPID); !ok || old.Ports[i] != r {
		c.edit(p.at.DPID).Ports[i] = r
	}
	switch {
	case p.up && !r.Up:
		c.portWent(p)
	case !p.up && r.Up:
		c.portCame(p)
		c.startProbing(p)
	}
}

func (c *Core) portDeleted(d *device, i int) {
	p := d.ports[i]
	if p.up {
		c.portWent(p)
	}
	c.deleted(d, p)
	row := c.edit(d.dpid)
	row.Ports = slices.Delete(row.Ports, i, i+1)
	d.ports = slices.Delete(d.ports, i, i+1)
	c.Counts.Ports.Add(-1)
	c.pace.ports--
}

// portCame begins to find out what is behind a port.
func (c *Core) portCame(p *port) {
	p.up = true
	p.hosts = 0
	for range c.tx.HostsAt(p.at) {
		p.hosts++
	}
	c.doubt(p)
}

// portWent takes a port's links down, in both directions, and doubts its hosts.
func (c *Core) portWent(p *port) {
	p.up, p.idle = false, time.Time{}
	p.carrierLost()
	c.forgetProbes(p)
	p.vacated, p.asked, p.asking = time.Time{}, time.Time{}, false
	for _, e := range p.edges() {
		c.dropEdge(e)
	}
	c.doubtHosts(p)
	c.dropPending(p.at)
	c.setRole(p, netview.PortUnknown)
}

// doubt makes a port's role unknown and lets it settle again. One that is configured as edge is one.
func (c *Core) doubt(p *port) {
	if p.edge {
		p.past = pastNone
		c.setRole(p, netview.PortEdge)
		return
	}
	c.setRole(p, netview.PortUnknown)
	p.quiet = c.now
	c.agenda.add(appointment{at: c.now.Add(c.cfg.Settle), duty: dutyEdge, point: p.at, stamp: p.quiet})
}

// edgeOrNot makes an unknown port an edge if it has been silent long enough. Otherwise it makes another appointment, if
// anything but what is heard there can change that.
func (c *Core) edgeOrNot(a appointment) {
	p := c.port(a.point)
	if p == nil || !p.up || p.role != netview.PortUnknown || !p.quiet.Equal(a.stamp) || !p.device.connected {
		return
	}
	at, ok := c.edgeFrom(p)
	switch {
	case !ok:
		a.at = c.now.Add(c.cfg.Period)
	case at.After(c.now):
		a.at = at
	case !c.spokeSince(p):
		a.at = c.now.Add(c.cfg.Settle)
	default:
		p.past = pastNone
		c.setRole(p, netview.PortEdge)
		c.settleEarly(p.device)
		return
	}
	c.agenda.add(a)
}

// edgeFrom is when a port is an edge if it stays silent: as its past says, and also since the last new switch connected,
// as that one's probes would have been heard here. Where too few probes have left it is later.
func (c *Core) edgeFrom(p *port) (at time.Time, ok bool) {
	from, long, probes, ok := c.silence(p)
	if !ok {
		return at, false
	}
	at = from.Add(long)
	if newest, latest := c.newest.Add(c.cfg.Settle), at.Add((settleMax-1)*c.cfg.Settle); newest.After(at) {
		at = newest
		if at.After(latest) {
			at = latest
		}
	}
	nth := 2*probes - 1 // each is a near and a far one
	if s := p.sent[nth].at; !at.After(c.now) && (s == 0 || c.start.Add(s).Before(from)) {
		at = c.now.Add(c.cfg.Settle)
	}
	return at, true
}

// setRole changes a port's role, with all that follows: no hosts at a link; those that waited at an edge are let in.
func (c *Core) setRole(p *port, role netview.PortRole) {
	if p.role == role {
		return
	}
	if p.role == netview.PortLink {
		c.known.remove(c.known.hashPort(p.at))
	}
	p.role = role
	row := c.edit(p.at.DPID)
	if i := slices.IndexFunc(row.Ports, func(r netview.Port) bool { return r.Number == p.at.Port }); i >= 0 {
		row.Ports[i].Role = role
	}
	switch role {
	case netview.PortLink:
		c.known.add(c.known.hashPort(p.at))
		c.dropPending(p.at)
		c.expelHosts(p)
	case netview.PortEdge:
		c.idles(p)
		c.admitPending(p)
		c.askHeir(p)
	}
}
