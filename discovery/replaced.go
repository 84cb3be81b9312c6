package discovery

import (
	"strings"

	"github.com/weirnet/weir/netview"
)

// A switch that connects with a known datapath id may be a different device: replaced hardware, or
// another emulated network under the same instance. Its serial number tells. Then nothing known of
// the old device's cables holds: its ports are treated like those of a new switch.

// differentSerial reports whether two serial numbers are of two devices. A missing one ("None" is
// Open vSwitch's) is no evidence.
func differentSerial(was, is string) bool {
	given := func(serial string) bool { return serial != "" && !strings.EqualFold(serial, "none") }
	return given(was) && given(is) && was != is
}

// deviceReplaced forgets the cables of a switch that was replaced by another device. It is not
// connected.
func (c *Core) deviceReplaced(d *device) {
	for _, p := range d.ports {
		if q := c.port(p.peer); q != nil && p.history != historyNone && q.peer == p.at {
			q.noteCarrierLost()
		}
		for _, e := range p.links() {
			c.removeLink(e)
		}
		p.pastLink = pastLink{}
		c.hosts.setUnconfirmed(p)
		if p.up && p.role != netview.PortUnknown {
			c.setUnknown(p)
		}
	}
	d.removed, d.formerLinksKnown = nil, false
	c.control.deviceReplaced(d.dpid)
	c.Counts.Replaced.Add(1)
}
