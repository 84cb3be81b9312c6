package discovery

import (
	"slices"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// Anybody who reaches the OpenFlow port can claim to be a switch with the greatest number of ports,
// and disconnect. The state of a switch is kept when its session is lost, so such state would be
// kept too. A switch therefore counts as one of the network, which may forward without a session,
// once it had a session for a minute (established), or while a neighbour has a link to it.

// strangers are the switches that are not established.
type strangers struct {
	*inventory.Table
	away    []*inventory.Device // disconnected, in the order of disconnection
	growing []*inventory.Device // connected, and reported more ports than are free after their handshake
	ends    inventory.Deadlines[inventory.Deadline]
}

// disconnected handles a switch that lost its session. One that was not established is forgotten
// later. It returns those that are to be forgotten now, since they have too many ports.
func (s *strangers) disconnected(d *inventory.Device) (over []*inventory.Device) {
	d.Established = d.Established || s.Now.Sub(d.ConnectedAt) >= establishedAfter
	if d.Established || s.IsConfigured(d) || inventory.NeighbourHasCarrier(d) {
		return nil
	}
	s.EditRow(d.DPID).Transient = true
	s.away = append(s.away, d)
	s.ends.Add(s.Now.Add(establishedAfter), inventory.Deadline{At: netview.Point{DPID: d.DPID}, Since: d.DisconnectedAt})
	ports := 0
	for _, o := range s.away {
		ports += len(o.Ports)
	}
	for i := 0; ports > s.Limits.Passing; i++ {
		ports -= len(s.away[i].Ports)
		over = append(over, s.away[i])
	}
	return over
}

// due returns a switch that did not reconnect in time; nil if it did.
func (s *strangers) due(l inventory.Deadline) *inventory.Device {
	if d := s.Devices[l.At.DPID]; d != nil && d.DisconnectedAt.Equal(l.Since) && slices.Contains(s.away, d) {
		return d
	}
	return nil
}

// keep cancels the end of a switch.
func (s *strangers) keep(d *inventory.Device) {
	s.away = slices.DeleteFunc(s.away, func(o *inventory.Device) bool { return o == d })
}

// longestDisconnected returns the switch, other than but, that has been disconnected for the
// longest time and has no configuration; short-lived switches come first.
func (s *strangers) longestDisconnected(but *inventory.Device) (oldest *inventory.Device) {
	if len(s.away) > 0 && s.away[0] != but {
		return s.away[0]
	}
	for _, d := range s.Sorted() {
		if !d.Connected && !s.IsConfigured(d) && d != but &&
			(oldest == nil || d.DisconnectedAt.Before(oldest.DisconnectedAt)) {
			oldest = d
		}
	}
	return oldest
}

// roomForPort reports whether a switch may have one port more.
func (s *strangers) roomForPort(d *inventory.Device) bool {
	l := &s.Limits
	switch {
	case len(d.Ports) >= l.OfSwitch:
		s.portsIgnored(1, "limits.switch_ports", d.DPID, l.OfSwitch)
	case int(s.Counts.Ports.Load()) >= l.Ports:
		s.portsIgnored(1, "limits.ports", d.DPID, l.Ports)
	case len(d.Ports) >= freePorts && s.isUnestablished(d) && s.reportedLater(d) >= l.New:
		s.portsIgnored(1, "limits.handshake_memory", d.DPID, freePorts)
	default:
		return true
	}
	return false
}

// isUnestablished reports whether a switch is connected, and not established yet.
func (s *strangers) isUnestablished(d *inventory.Device) bool {
	return d.Connected && !d.Established && !s.IsConfigured(d) && s.Now.Sub(d.ConnectedAt) < establishedAfter
}

// reportedLater counts the ports above freePorts that unestablished switches reported after their
// handshake (sessions count those in it), including about, which is to report one.
func (s *strangers) reportedLater(about *inventory.Device) (n int) {
	s.growing = slices.DeleteFunc(s.growing, func(d *inventory.Device) bool {
		return s.Devices[d.DPID] != d || !s.isUnestablished(d)
	})
	if !slices.Contains(s.growing, about) {
		s.growing = append(s.growing, about)
	}
	for _, d := range s.growing {
		n += max(len(d.Ports)-max(d.HandshakePorts, freePorts), 0)
	}
	return n
}

// portsIgnored counts ignored ports and raises the alarm.
func (s *strangers) portsIgnored(ports int, limit string, dpid netview.DPID, most int) {
	s.Counts.Ignored.Add(uint64(ports))
	s.Alarms.Raise(netview.AlarmLimit, limit, "ports of switch %s are ignored: at most %d are taken", dpid, most)
}

// dueStranger deletes a short-lived switch that did not reconnect in time.
func (s *switches) dueStranger(l inventory.Deadline) {
	if d := s.strangers.due(l); d != nil {
		s.forgetStranger(d)
	}
}

func (s *switches) forgetStranger(d *inventory.Device) {
	s.remove(d)
	s.Counts.Passed.Add(1)
}

// limitPorts makes room for a switch's ports by evicting disconnected switches, and truncates the
// handshake if that is not enough.
func (s *switches) limitPorts(d *inventory.Device, f *SwitchFacts) {
	l := &s.Limits
	others := int(s.Counts.Ports.Load()) - len(d.Ports)
	for others+len(f.Ports) > l.Ports {
		gone := s.strangers.longestDisconnected(d)
		if gone == nil {
			break
		}
		others -= len(gone.Ports)
		s.evict(gone)
	}
	switch room := max(l.Ports-others, 0); {
	case len(f.Ports) > l.OfSwitch && l.OfSwitch <= room:
		s.strangers.portsIgnored(len(f.Ports)-l.OfSwitch, "limits.switch_ports", d.DPID, l.OfSwitch)
		f.Ports = f.Ports[:l.OfSwitch]
	case len(f.Ports) > room:
		s.strangers.portsIgnored(len(f.Ports)-room, "limits.ports", d.DPID, l.Ports)
		f.Ports = f.Ports[:room]
	}
}
