package discovery

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// Anybody who reaches the OpenFlow port can claim to be a switch with the greatest number of ports,
// and disconnect. The state of a switch is kept when its session is lost, so such state would be
// kept too. A switch therefore counts as one of the network, which may forward without a session,
// once it had a session for a minute (established), or while a neighbour has a link to it.

// checkShortLived schedules the deletion of a switch that lost its session before it was
// established.
func (c *Core) checkShortLived(d *device) {
	d.established = d.established || c.now.Sub(d.connectedAt) >= establishedAfter
	if d.established || c.isConfigured(d) || neighbourHasCarrier(d) {
		return
	}
	c.editRow(d.dpid).Transient = true
	c.shortLived = append(c.shortLived, d)
	c.shortLivedEnds.add(c.now.Add(establishedAfter), deadline{netview.Point{DPID: d.dpid}, d.disconnectedAt})
	ports := 0
	for _, p := range c.shortLived {
		ports += len(p.ports)
	}
	for ports > c.limits.Passing {
		first := c.shortLived[0]
		ports -= len(first.ports)
		c.forgetShortLived(first)
	}
}

// forgetShortLived deletes a short-lived switch.
func (c *Core) forgetShortLived(d *device) {
	c.remove(d)
	c.Counts.Passed.Add(1)
}

// dueShortLived deletes a short-lived switch that did not reconnect in time.
func (c *Core) dueShortLived(l deadline) {
	if d := c.devices[l.at.DPID]; d != nil && d.disconnectedAt.Equal(l.since) && slices.Contains(c.shortLived, d) {
		c.forgetShortLived(d)
	}
}

// keepDevice cancels the scheduled deletion of a switch.
func (c *Core) keepDevice(d *device) {
	c.shortLived = slices.DeleteFunc(c.shortLived, func(p *device) bool { return p == d })
}

// limitPorts makes room for a switch's ports by evicting disconnected switches, and truncates the
// handshake if that is not enough.
func (c *Core) limitPorts(d *device, f *SwitchFacts) {
	l := &c.limits
	others := int(c.Counts.Ports.Load()) - len(d.ports)
	for others+len(f.Ports) > l.Ports {
		gone := c.longestDisconnected(d)
		if gone == nil {
			break
		}
		others -= len(gone.ports)
		c.evict(gone)
	}
	switch room := max(l.Ports-others, 0); {
	case len(f.Ports) > l.OfSwitch && l.OfSwitch <= room:
		c.portsIgnored(len(f.Ports)-l.OfSwitch, "limits.switch_ports", d.dpid, l.OfSwitch)
		f.Ports = f.Ports[:l.OfSwitch]
	case len(f.Ports) > room:
		c.portsIgnored(len(f.Ports)-room, "limits.ports", d.dpid, l.Ports)
		f.Ports = f.Ports[:room]
	}
}

// roomForPort reports whether a switch may have one port more.
func (c *Core) roomForPort(d *device) bool {
	l := &c.limits
	switch {
	case len(d.ports) >= l.OfSwitch:
		c.portsIgnored(1, "limits.switch_ports", d.dpid, l.OfSwitch)
	case int(c.Counts.Ports.Load()) >= l.Ports:
		c.portsIgnored(1, "limits.ports", d.dpid, l.Ports)
	case len(d.ports) >= freePorts && c.isUnestablished(d) && c.reportedLater(d) >= l.New:
		c.portsIgnored(1, "limits.handshake_memory", d.dpid, freePorts)
	default:
		return true
	}
	return false
}

// isUnestablished reports whether a switch is connected, and not established yet.
func (c *Core) isUnestablished(d *device) bool {
	return d.connected && !d.established && !c.isConfigured(d) && c.now.Sub(d.connectedAt) < establishedAfter
}

// reportedLater counts the ports above freePorts that unestablished switches reported after their
// handshake (sessions count those in it), including about, which is to report one.
func (c *Core) reportedLater(about *device) (n int) {
	c.growing = slices.DeleteFunc(c.growing, func(d *device) bool { return c.devices[d.dpid] != d || !c.isUnestablished(d) })
	if !slices.Contains(c.growing, about) {
		c.growing = append(c.growing, about)
	}
	for _, d := range c.growing {
		n += max(len(d.ports)-max(d.handshakePorts, freePorts), 0)
	}
	return n
}

// portsIgnored counts ignored ports and raises the alarm.
func (c *Core) portsIgnored(ports int, limit string, dpid netview.DPID, most int) {
	c.Counts.Ignored.Add(uint64(ports))
	c.alarms.raise(netview.AlarmLimit, limit, "ports of switch %s are ignored: at most %d are taken", dpid, most)
}
