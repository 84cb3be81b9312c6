package discovery

import "github.com/weirnet/weir/netview"

// dueSettled settles a switch two periods after its handshake, if it is still this session: then
// all links have been heard. If a port led to another switch before the restart it waits for that
// one, for a bounded time; until then the switch keeps its rules.
func (c *Core) dueSettled(s deadline) {
	d := c.devices[s.at.DPID]
	switch {
	case d == nil || !d.connected || !d.connectedAt.Equal(s.since):
	case d.awaitsFormerLink() && c.now.Before(d.connectedAt.Add(unobservedSilence+maxSettles*c.pace.settle)):
		c.settlings.add(c.now.Add(c.pace.period), s)
	default:
		c.settle(d)
	}
}

// settleEarly settles a switch earlier if nothing is left to discover: the role of each port that
// is up is known, and each link was heard twice since the handshake.
func (c *Core) settleEarly(d *device) {
	if d.settled || !d.connected {
		return
	}
	for _, p := range d.ports {
		if p.up && p.role == netview.PortUnknown {
			return
		}
		for _, e := range p.links() {
			if e.bothConnected() && e.heardCount < 2 {
				return
			}
		}
	}
	c.settle(d)
}

// settle settles a switch, and with the last connected one the view.
func (c *Core) settle(d *device) {
	if d.settled {
		return
	}
	d.settled = true
	for _, p := range d.ports {
		c.querySuccessor(p)
	}
	c.editRow(d.dpid).Settled = true
	if c.settled++; c.settled == c.connected {
		c.tx.SetSettled()
	}
}
