package discovery

import "github.com/weirnet/weir/netview"

// dueSettled settles a switch two periods after it connected, if it is still this session: then all that can be heard
// has been. Where a port led to another switch in an earlier life it waits for that one, but not for ever; until then the
// switch keeps what it holds.
func (c *Core) dueSettled(a appointment) {
	d := c.devices[a.point.DPID]
	switch {
	case d == nil || !d.connected || !d.since.Equal(a.stamp):
	case d.recalls() && c.now.Before(d.since.Add(unseenWait+settleMax*c.cfg.Settle)):
		a.at = c.now.Add(c.cfg.Period)
		c.agenda.add(a)
	default:
		c.settle(d)
	}
}

// settleEarly settles a switch before that when there is nothing left to find out: what is behind each port that is up
// is known, and each link was heard twice since the switch connected.
func (c *Core) settleEarly(d *device) {
	if d.settled || !d.connected {
		return
	}
	for _, p := range d.ports {
		if p.up && p.role == netview.PortUnknown {
			return
		}
		for _, e := range p.edges() {
			if e.live() && e.heard < 2 {
				return
			}
		}
	}
	c.settle(d)
}

// settle settles a switch, and with the last connected one the whole.
func (c *Core) settle(d *device) {
	if d.settled {
		return
	}
	d.settled = true
	for _, p := range d.ports {
		c.askHeir(p)
	}
	c.edit(d.dpid).Settled = true
	if c.settled++; c.settled == c.ready {
		c.tx.SetSettled()
	}
}
