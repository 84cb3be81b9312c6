package discovery

import (
	"strings"

	"github.com/weirnet/weir/netview"
)

// A switch that connects with the datapath id of another one may be another device: hardware that was exchanged, or another
// emulated network under the same instance. Its serial number says so. Then nothing that is known of the old one's cables
// holds: what was there is looked for anew, and its silence means what it does at any new switch.

// exchanged tells whether two serial numbers are of two devices. One that is not given ("None" is Open vSwitch's) says
// nothing.
func exchanged(was, is string) bool {
	given := func(serial string) bool { return serial != "" && !strings.EqualFold(serial, "none") }
	return given(was) && given(is) && was != is
}

// exchange forgets the cables of a switch that another device has taken the place of. It is not connected. A suspicion
// against the control network ends when all that have come back so far, two at least, were exchanged: that is why they vanished.
func (c *Core) exchange(d *device) {
	for _, p := range d.ports {
		if q := c.port(p.peer); q != nil && p.past != pastNone && q.peer == p.at {
			q.carrierLost()
		}
		for _, e := range p.edges() {
			c.dropEdge(e)
		}
		p.past, p.peer = pastNone, netview.Point{}
		c.doubtHosts(p)
		if p.up && p.role != netview.PortUnknown {
			c.doubt(p)
		}
	}
	d.gone, d.recalled = nil, false
	if c.away[d.dpid] {
		if c.swaps++; c.swaps >= 2 && c.back == c.swaps-1 {
			c.trust()
		}
	}
	c.Counts.Exchanged.Add(1)
}
