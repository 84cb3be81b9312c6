package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// applySettings applies changed settings: which ports are edges. The probe period is applied by
// pace.adapt, everything else by the view.
func (c *Core) applySettings(s *netview.Settings) {
	if s == c.settings {
		return
	}
	c.settings = s
	for _, d := range c.sortedDevices() {
		for _, p := range d.ports {
			if edge := s.Ports[p.at].Edge; edge != p.configuredEdge {
				p.configuredEdge = edge
				c.applyConfiguredEdge(p)
			}
		}
	}
	c.reevaluateTrust()
}

// applyConfiguredEdge applies a changed edge setting to a port: links at an edge are removed.
func (c *Core) applyConfiguredEdge(p *port) {
	for _, e := range p.links() {
		c.removeLink(e)
	}
	if !p.up {
		return
	}
	c.setUnknown(p)
	if p.device.connected {
		c.prober.start(p)
	}
}

// ttlOf returns the TTL of probes, in seconds.
func ttlOf(period time.Duration) uint16 {
	return uint16(min((missedProbes*period+time.Second-1)/time.Second, 65535))
}
