package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// newPort creates a port. If the same port was deleted before, its history is restored, though
// another cable may be in it. If a different one had this number, its hosts are deleted.
func (c *Core) newPort(d *device, r *netview.Port) *port {
	at := netview.Point{DPID: d.dpid, Port: r.Number}
	p := &port{at: at, device: d, name: r.Name, mac: r.MAC, configuredEdge: r.Edge}
	p.fastStep = len(fastStartTimes)
	if f, ok := d.removed[r.Number]; ok {
		if f.port.SamePort(r) {
			p.pastLink = f.pastLink
		} else {
			c.expelHosts(p)
		}
		delete(d.removed, r.Number)
	}
	return p
}

// is reports whether a row is of this port.
func (p *port) is(r *netview.Port) bool {
	own := netview.Port{Number: p.at.Port, Name: p.name, MAC: p.mac}
	return own.SamePort(r)
}

// rememberRemoved keeps the history of a deleted port, if it had a link or hosts. A probe that was
// heard at it, or of it, may have been another port's, which its switch had not reported yet.
func (c *Core) rememberRemoved(d *device, p *port) {
	p.noteCarrierLost()
	c.occupancy.clearAlarm(p)
	switch {
	case p.history == historyNone && p.hosts == 0:
		return
	case len(d.removed) >= maxRemovedPorts:
		c.expelHosts(p)
		return
	}
	if d.removed == nil {
		d.removed = make(map[uint32]removedPort)
	}
	d.removed[p.at.Port] = removedPort{netview.Port{Number: p.at.Port, Name: p.name, MAC: p.mac}, p.pastLink}
}

// SwitchUp handles a handshake: of a new switch, or one that reconnects. Unchanged ports keep their
// history.
func (c *Core) SwitchUp(f *SwitchFacts) {
	d := c.devices[f.DPID]
	if d == nil {
		c.makeRoom()
		d = c.newDevice(f.DPID)
		c.lastNewSwitch = c.now
		c.limitPorts(d, f)
	} else {
		c.SwitchDown(f.DPID) // in case the end of its old session was not reported
		if c.devices[f.DPID] == nil {
			d = c.newDevice(f.DPID) // it was evicted for lack of room
		}
		if row, ok := c.tx.Switch(f.DPID); ok && differentSerial(row.Desc.Serial, f.Desc.Serial) {
			c.deviceReplaced(d)
		}
		c.strangers.keep(d)
		c.limitPorts(d, f)
	}
	d.connected, d.connectedAt, d.settled, d.successor = true, c.now, false, nil
	d.received = f.Received
	c.connected++
	row := c.row(f)
	sortPorts(row)
	c.edited[d.dpid] = row
	c.mergePorts(d, row)
	d.handshakePorts = len(d.ports)
	c.pace.ports += len(d.ports)
	c.putRow(row)
	c.control.sessionReturned(d.dpid)
	for _, p := range d.ports {
		for _, e := range p.links() {
			e.missed, e.heardCount, e.farStreak = 0, 0, 0
		}
		p.blockedAt = c.now
		if p.role == netview.PortEdge {
			c.cables.startEdgeTime(p)
		}
		if p.up {
			if p.role == netview.PortUnknown && !p.quietSince.Equal(c.now) {
				c.setUnknown(p)
			}
			c.prober.start(p)
		}
	}
	for _, p := range d.ports {
		for _, e := range p.links() {
			c.links.writeStates(e) // a link that was not heard yet shares no segment
		}
	}
	c.prober.scheduleRounds(d)
	c.settling.start(d)
}

// row returns the switch's row as described by its handshake.
func (c *Core) row(f *SwitchFacts) *netview.Switch {
	row := &netview.Switch{
		DPID: f.DPID, State: netview.SwitchReady, Connected: true, Version: f.Version,
		Address: f.Address, Desc: f.Desc, Buffers: f.Buffers, Tables: f.Tables,
		Capabilities: f.Capabilities, Since: c.now, Ports: make([]netview.Port, 0, len(f.Ports)),
	}
	row.Name = row.OwnName()
	for i := range f.Ports {
		row.Ports = append(row.Ports, c.portRow(f.DPID, &f.Ports[i]))
	}
	return row
}

// mergePorts updates the device's ports from a row, and the row's roles from the ports. Links and
// hosts of ports that were removed or are down now are treated as by a port status.
func (c *Core) mergePorts(d *device, row *netview.Switch) {
	old := d.ports
	c.Counts.Ports.Add(int64(len(row.Ports) - len(old)))
	d.ports = make([]*port, 0, len(row.Ports))
	for i := range row.Ports {
		r := &row.Ports[i]
		var p *port
		if j, ok := searchPort(old, r.Number); ok && old[j].is(r) {
			p = old[j]
		} else {
			p = c.newPort(d, r)
		}
		d.ports = append(d.ports, p)
		if p.up && !r.Up {
			c.portDown(p)
		} else if !p.up && r.Up {
			c.portUp(p)
		}
	}
	for _, p := range old {
		if now := d.port(p.at.Port); now != p {
			if p.up {
				c.portDown(p)
			}
			if now == nil {
				c.rememberRemoved(d, p)
			} else {
				c.occupancy.clearAlarm(p)
				c.expelHosts(p)
			}
		}
	}
	for i, p := range d.ports { // last, because the removal of a port may change another's role
		row.Ports[i].Role = p.role
	}
}

// SwitchDown handles the loss of a session. Nothing is known to be down: links and hosts become
// unconfirmed.
func (c *Core) SwitchDown(dpid netview.DPID) {
	d := c.devices[dpid]
	if d == nil || !d.connected {
		return
	}
	if d.settled {
		c.settled--
	}
	d.connected, d.settled, d.disconnectedAt, d.awaitingBarrier = false, false, c.now, nil
	d.received = nil
	c.connected--
	c.pace.ports -= len(d.ports)
	row := c.editRow(dpid)
	row.Connected, row.State, row.Since, row.Settled = false, netview.SwitchDisconnected, c.now, false
	if c.removeSuperseded(d); d.successor == nil {
		c.control.sessionLost(dpid)
	}
	for _, p := range d.ports {
		c.prober.forget(p)
		p.noteSessionLost()
		p.edgeSince = time.Time{} // the carrier cannot be observed
		for _, e := range p.links() {
			c.links.put(e.key(), true, e.state())
		}
		c.hosts.setUnconfirmed(p)
	}
	for _, over := range c.strangers.disconnected(d) {
		c.forgetStranger(over)
	}
}
