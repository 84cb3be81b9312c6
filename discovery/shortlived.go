package discovery

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// Anybody who reaches the OpenFlow port can claim to be a switch with the greatest number of ports,
// and disconnect. The state of a switch is kept when its session is lost, so such state would be
// kept too. A switch therefore counts as one of the network, which may forward without a session,
// once it had a session for a minute (established), or while a neighbour has a link to it.

// strangers are the switches that are not established.
type strangers struct {
	*deviceTable
	away    []*device // disconnected, in the order of disconnection
	growing []*device // connected, and reported more ports than are free after their handshake
	ends    deadlines[deadline]
}

// disconnected handles a switch that lost its session. One that was not established is forgotten
// later. It returns those that are to be forgotten now, since they have too many ports.
func (s *strangers) disconnected(d *device) (over []*device) {
	d.established = d.established || s.now.Sub(d.connectedAt) >= establishedAfter
	if d.established || s.isConfigured(d) || neighbourHasCarrier(d) {
		return nil
	}
	s.editRow(d.dpid).Transient = true
	s.away = append(s.away, d)
	s.ends.add(s.now.Add(establishedAfter), deadline{netview.Point{DPID: d.dpid}, d.disconnectedAt})
	ports := 0
	for _, o := range s.away {
		ports += len(o.ports)
	}
	for i := 0; ports > s.limits.Passing; i++ {
		ports -= len(s.away[i].ports)
		over = append(over, s.away[i])
	}
	return over
}

// due returns a switch that did not reconnect in time; nil if it did.
func (s *strangers) due(l deadline) *device {
	if d := s.devices[l.at.DPID]; d != nil && d.disconnectedAt.Equal(l.since) && slices.Contains(s.away, d) {
		return d
	}
	return nil
}

// keep cancels the end of a switch.
func (s *strangers) keep(d *device) {
	s.away = slices.DeleteFunc(s.away, func(o *device) bool { return o == d })
}

// longestDisconnected returns the switch, other than but, that has been disconnected for the
// longest time and has no configuration; short-lived switches come first.
func (s *strangers) longestDisconnected(but *device) (oldest *device) {
	if len(s.away) > 0 && s.away[0] != but {
		return s.away[0]
	}
	for _, d := range s.sortedDevices() {
		if !d.connected && !s.isConfigured(d) && d != but &&
			(oldest == nil || d.disconnectedAt.Before(oldest.disconnectedAt)) {
			oldest = d
		}
	}
	return oldest
}

// roomForPort reports whether a switch may have one port more.
func (s *strangers) roomForPort(d *device) bool {
	l := &s.limits
	switch {
	case len(d.ports) >= l.OfSwitch:
		s.portsIgnored(1, "limits.switch_ports", d.dpid, l.OfSwitch)
	case int(s.Counts.Ports.Load()) >= l.Ports:
		s.portsIgnored(1, "limits.ports", d.dpid, l.Ports)
	case len(d.ports) >= freePorts && s.isUnestablished(d) && s.reportedLater(d) >= l.New:
		s.portsIgnored(1, "limits.handshake_memory", d.dpid, freePorts)
	default:
		return true
	}
	return false
}

// isUnestablished reports whether a switch is connected, and not established yet.
func (s *strangers) isUnestablished(d *device) bool {
	return d.connected && !d.established && !s.isConfigured(d) && s.now.Sub(d.connectedAt) < establishedAfter
}

// reportedLater counts the ports above freePorts that unestablished switches reported after their
// handshake (sessions count those in it), including about, which is to report one.
func (s *strangers) reportedLater(about *device) (n int) {
	s.growing = slices.DeleteFunc(s.growing, func(d *device) bool { return s.devices[d.dpid] != d || !s.isUnestablished(d) })
	if !slices.Contains(s.growing, about) {
		s.growing = append(s.growing, about)
	}
	for _, d := range s.growing {
		n += max(len(d.ports)-max(d.handshakePorts, freePorts), 0)
	}
	return n
}

// portsIgnored counts ignored ports and raises the alarm.
func (s *strangers) portsIgnored(ports int, limit string, dpid netview.DPID, most int) {
	s.Counts.Ignored.Add(uint64(ports))
	s.alarms.raise(netview.AlarmLimit, limit, "ports of switch %s are ignored: at most %d are taken", dpid, most)
}

// dueStranger deletes a short-lived switch that did not reconnect in time.
func (c *Core) dueStranger(l deadline) {
	if d := c.strangers.due(l); d != nil {
		c.forgetStranger(d)
	}
}

func (c *Core) forgetStranger(d *device) {
	c.remove(d)
	c.Counts.Passed.Add(1)
}

// limitPorts makes room for a switch's ports by evicting disconnected switches, and truncates the
// handshake if that is not enough.
func (c *Core) limitPorts(d *device, f *SwitchFacts) {
	l := &c.limits
	others := int(c.Counts.Ports.Load()) - len(d.ports)
	for others+len(f.Ports) > l.Ports {
		gone := c.strangers.longestDisconnected(d)
		if gone == nil {
			break
		}
		others -= len(gone.ports)
		c.evict(gone)
	}
	switch room := max(l.Ports-others, 0); {
	case len(f.Ports) > l.OfSwitch && l.OfSwitch <= room:
		c.strangers.portsIgnored(len(f.Ports)-l.OfSwitch, "limits.switch_ports", d.dpid, l.OfSwitch)
		f.Ports = f.Ports[:l.OfSwitch]
	case len(f.Ports) > room:
		c.strangers.portsIgnored(len(f.Ports)-room, "limits.ports", d.dpid, l.Ports)
		f.Ports = f.Ports[:room]
	}
}
