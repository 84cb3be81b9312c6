package discovery

import (
	"fmt"
	"slices"

	"github.com/weirnet/weir/netview"
)

// Anybody who reaches the port for switches can say that he is one, with as many ports as a switch may have, and go. What is
// known of a switch stays when its session is lost, so a stranger's word would stay too. A switch is therefore taken for one
// of the network's, which may forward without a session, once it had one for a minute, or while a neighbour has a link to it.

// passes decides about a switch that lost its session.
func (c *Core) passes(d *device) {
	d.proven = d.proven || c.now.Sub(d.since) >= provenAfter
	if _, configured := c.settings.Switches[d.dpid]; d.proven || configured || carried(d) {
		return
	}
	c.edit(d.dpid).Passing = true
	c.passing = append(c.passing, d)
	c.agenda.add(appointment{at: c.now.Add(provenAfter), duty: dutyPassing, point: netview.Point{DPID: d.dpid}, stamp: d.lost})
	ports := 0
	for _, p := range c.passing {
		ports += len(p.ports)
	}
	for ports > c.cfg.Limits.Passing {
		first := c.passing[0]
		ports -= len(first.ports)
		c.pass(first)
	}
}

// pass forgets a switch that was there for a moment only.
func (c *Core) pass(d *device) {
	c.remove(d)
	c.Counts.Passed.Add(1)
}

// duePassing forgets a switch that did not come back in time.
func (c *Core) duePassing(a appointment) {
	if d := c.devices[a.point.DPID]; d != nil && d.lost.Equal(a.stamp) && slices.Contains(c.passing, d) {
		c.pass(d)
	}
}

// stays takes a switch out of those that are about to be forgotten.
func (c *Core) stays(d *device) {
	c.passing = slices.DeleteFunc(c.passing, func(p *device) bool { return p == d })
}

// boundPorts makes room for a switch's ports, at the cost of switches that have no session, and takes those that there is no
// room for out of what it says.
func (c *Core) boundPorts(d *device, f *SwitchFacts) {
	l := &c.cfg.Limits
	others := int(c.Counts.Ports.Load()) - len(d.ports)
	for others+len(f.Ports) > l.Ports {
		gone := c.longestGone(d)
		if gone == nil {
			break
		}
		others -= len(gone.ports)
		c.evict(gone)
	}
	switch room := max(l.Ports-others, 0); {
	case len(f.Ports) > l.OfSwitch && l.OfSwitch <= room:
		c.ignore(len(f.Ports)-l.OfSwitch, "limits.switch_ports", d.dpid, l.OfSwitch)
		f.Ports = f.Ports[:l.OfSwitch]
	case len(f.Ports) > room:
		c.ignore(len(f.Ports)-room, "limits.ports", d.dpid, l.Ports)
		f.Ports = f.Ports[:room]
	}
}

// roomForPort is whether a switch may have one port more.
func (c *Core) roomForPort(d *device) bool {
	l := &c.cfg.Limits
	switch {
	case len(d.ports) >= l.OfSwitch:
		c.ignore(1, "limits.switch_ports", d.dpid, l.OfSwitch)
	case int(c.Counts.Ports.Load()) >= l.Ports:
		c.ignore(1, "limits.ports", d.dpid, l.Ports)
	default:
		return true
	}
	return false
}

// ignore tells that ports are ignored.
func (c *Core) ignore(ports int, limit string, dpid netview.DPID, most int) {
	c.Counts.Ignored.Add(uint64(ports))
	if c.cfg.Alarms != nil {
		c.cfg.Alarms.Raise(netview.AlarmLimit, limit, fmt.Sprintf("ports of switch %s are ignored: at most %d are taken", dpid, most))
	}
}
