package discovery

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// handleSighting handles a sighting: at an edge it creates, moves, or refreshes a host; at a port
// of unknown role it is deferred; at a link it is ignored.
func (c *Core) handleSighting(s *sighting) {
	p := c.port(s.at)
	switch {
	case p == nil || !p.up || !p.device.connected || c.occupancy.mayBeCopy(p, s):
	case p.role == netview.PortLink:
		c.seen.add(c.seen.hashPort(p.at))
	case p.role == netview.PortEdge:
		c.hostAnswered(p, s)
		c.admitHost(p, s)
	default:
		c.hostAnswered(p, s)
		c.deferred.add(s)
	}
}

// admitHost handles a sighting at an edge. A host known elsewhere moves only if it is gone there.
func (c *Core) admitHost(p *port, s *sighting) {
	if old, ok := c.tx.Host(s.id); ok && old.At != s.at {
		if !c.moveBack(old, s) {
			c.hostClaimed(old, s)
		}
		return
	}
	c.hosts.learn(p, s)
}

// admitDeferred admits the hosts seen at a port before it was an edge.
func (c *Core) admitDeferred(p *port) {
	for _, s := range c.deferred.take(p.at) {
		c.admitHost(p, &s)
	}
}

// deleteHost deletes a host with all its state.
func (c *Core) deleteHost(h *netview.Host) {
	c.endUnverified(h.HostID)
	delete(c.queries.open, h.HostID)
	c.hosts.delete(h)
}

// expelHosts deletes the hosts at a port that has become a link's.
func (c *Core) expelHosts(p *port) {
	for _, h := range slices.Clone(c.hosts.hostsAt(p.at)) {
		c.deleteHost(h)
		c.Counts.Expelled.Add(1)
	}
	p.hosts = 0
}
