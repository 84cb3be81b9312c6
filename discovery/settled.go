package discovery

import "github.com/weirnet/weir/netview"

// settling finds out when everything at a switch has been discovered that can be soon after its
// handshake.
type settling struct {
	*deviceTable
	pace *pace
	ends deadlines[deadline]
}

// start starts with the handshake of a switch: in two periods all its links will have been heard.
func (s *settling) start(d *device) {
	s.ends.add(s.now.Add(2*s.pace.period), deadline{netview.Point{DPID: d.dpid}, s.now})
}

// due returns a switch that has had its time, if it is still this session; nil if not. If a port led
// to another switch before the restart it waits for that one, for a bounded time; until then the
// switch keeps its rules.
func (s *settling) due(l deadline) *device {
	d := s.devices[l.at.DPID]
	switch {
	case d == nil || d.settled || !d.connected || !d.connectedAt.Equal(l.since):
		return nil
	case d.awaitsFormerLink() && s.now.Before(d.connectedAt.Add(unobservedSilence+maxSettles*s.pace.settle)):
		s.ends.add(s.now.Add(s.pace.period), l)
		return nil
	}
	return d
}

// isComplete reports whether nothing is left to discover at a switch: the role of each port that is
// up is known, and each link was heard twice since the handshake.
func (d *device) isComplete() bool {
	for _, p := range d.ports {
		if p.up && p.role == netview.PortUnknown {
			return false
		}
		for _, e := range p.links() {
			if e.bothConnected() && e.heardCount < 2 {
				return false
			}
		}
	}
	return true
}

func (c *Core) dueSettled(l deadline) {
	if d := c.settling.due(l); d != nil {
		c.settle(d)
	}
}

// settleEarly settles a switch before its time if it is complete.
func (c *Core) settleEarly(d *device) {
	if !d.settled && d.connected && d.isComplete() {
		c.settle(d)
	}
}

// settle settles a switch, and with the last connected one the view.
func (c *Core) settle(d *device) {
	d.settled = true
	for _, p := range d.ports {
		c.querySuccessor(p)
	}
	c.editRow(d.dpid).Settled = true
	if c.settled++; c.settled == c.connected {
		c.tx.SetSettled()
	}
}
