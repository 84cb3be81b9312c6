package discovery

import "github.com/weirnet/weir/netview"

// dueSettled sees, two periods after a switch connected, whether it is still this session: then all that can be heard
// has been, and the switch has settled. When no new one has come meanwhile the whole has.
func (c *Core) dueSettled(a appointment) {
	d := c.devices[a.point.DPID]
	if d.connected && d.since.Equal(a.stamp) {
		c.settle(d)
	}
	if c.ready > 0 && !c.now.Before(c.newest.Add(2*c.cfg.Period)) {
		c.tx.SetSettled()
	}
}

// settleEarly settles a switch that came back when all its links were heard twice since.
func (c *Core) settleEarly(d *device) {
	if d.settled || !d.returned {
		return
	}
	for _, p := range d.ports {
		if p.up && p.role == netview.PortUnknown {
			return
		}
		for _, e := range p.edges() {
			if e.heard < 2 {
				return
			}
		}
	}
	c.settle(d)
}

func (c *Core) settle(d *device) {
	if !d.settled {
		d.settled = true
		c.edit(d.dpid).Settled = true
	}
}
