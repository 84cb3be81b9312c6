package discovery

import (
	"strings"

	"github.com/weirnet/weir/discovery/inventory"
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

// replaced forgets the cables of a switch that was replaced by another device. It is not
// connected.
func (s *switches) replaced(d *inventory.Device) {
	for _, p := range d.Ports {
		if q := s.Port(p.Peer); q != nil && p.History != inventory.HistoryNone && q.Peer == p.At {
			q.NoteCarrierLost()
		}
		for _, e := range p.Links() {
			s.links.removeLink(e)
		}
		p.PastLink = inventory.PastLink{}
		s.hosts.Rows.SetUnconfirmed(p)
		if p.Up && p.Role != netview.PortUnknown {
			s.roles.setUnknown(p)
		}
	}
	d.Removed, d.FormerLinksKnown = nil, false
	s.control.DeviceReplaced(d.DPID)
	s.Counts.Replaced.Add(1)
}
