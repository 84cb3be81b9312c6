package discovery

import (
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// formerLinks notes which ports of a switch led to other switches before the restart. Only the
// first call counts: later rules are from this process.
func (s *switches) formerLinks(dpid netview.DPID, ports []uint32) {
	d := s.Devices[dpid]
	if d == nil || !d.Connected || d.FormerLinksKnown {
		return
	}
	d.FormerLinksKnown = true
	for _, number := range ports {
		p := d.Port(number)
		if p == nil || p.History != inventory.HistoryNone {
			continue
		}
		if p.Role == netview.PortEdge {
			if s.Now.Sub(p.QuietSince) >= unobservedSilence {
				continue
			}
			s.hosts.Rows.SetUnconfirmed(p)
			s.roles.setUnknown(p)
			s.prober.Start(p)
		}
		p.History = inventory.HistoryRestored
	}
}
