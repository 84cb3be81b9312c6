package discovery

import (
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// applySettings applies changed settings: which ports are edges. The probe period is applied by
// pace.adapt, everything else by the view.
func (c *Core) applySettings(s *netview.Settings) {
	if s == c.Settings {
		return
	}
	if c.Settings.LinkFrame != s.LinkFrame {
		c.links.widths.reset()
	}
	c.Settings = s
	for _, d := range c.Sorted() {
		for _, p := range d.Ports {
			if edge := s.Ports[p.At].Edge; edge != p.ConfiguredEdge {
				p.ConfiguredEdge = edge
				c.ports.edgeConfigured(p)
			}
		}
	}
	c.links.reevaluateTrust()
}

// edgeConfigured applies a changed edge setting to a port: links at an edge are removed.
func (t *ports) edgeConfigured(p *inventory.Port) {
	for _, e := range p.Links() {
		t.links.removeLink(e)
	}
	if !p.Up {
		return
	}
	t.roles.setUnknown(p)
	if p.Device.Connected {
		t.prober.Start(p)
	}
}
