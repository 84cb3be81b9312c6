package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// configure takes over what operators say, if it is something else than before: which ports are edges. The probes'
// period is taken over by stretch, everything else is derived by the view.
func (c *Core) configure(s *netview.Settings) {
	if s == c.settings {
		return
	}
	c.settings = s
	for _, d := range c.inOrder() {
		for _, p := range d.ports {
			if edge := s.Ports[p.at].Edge; edge != p.edge {
				p.edge = edge
				c.edgeConfigured(p)
			}
		}
	}
	c.reprove()
}

// edgeConfigured brings a port to what is configured: links at an edge go.
func (c *Core) edgeConfigured(p *port) {
	for _, e := range p.edges() {
		c.dropEdge(e)
	}
	if !p.up {
		return
	}
	c.doubt(p)
	if p.device.connected {
		c.startProbing(p)
	}
}

// inOrder are the devices in the order of their ids.
func (c *Core) inOrder() []*device {
	all := make([]*device, 0, len(c.devices))
	for _, d := range c.devices {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *device) int {
		return netview.Point{DPID: a.dpid}.Compare(netview.Point{DPID: b.dpid})
	})
	return all
}

// ttlOf is the TTL of probes, in seconds.
func ttlOf(period time.Duration) uint16 {
	return uint16(min((missedProbes*period+time.Second-1)/time.Second, 65535))
}
