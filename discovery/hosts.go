package discovery

import (
	"net/netip"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// handleSighting handles a sighting: at an edge it creates, moves, or refreshes a host; at a port
// of unknown role it is deferred; at a link it is ignored.
func (c *Core) handleSighting(s *sighting) {
	p := c.port(s.at)
	switch {
	case p == nil || !p.up || !p.device.connected || c.mayBeCopy(p, s):
	case p.role == netview.PortLink:
		c.seen.add(c.seen.hashPort(p.at))
	case p.role == netview.PortEdge:
		c.hostAnswered(p, s)
		c.admitHost(p, s)
	default:
		c.hostAnswered(p, s)
		c.deferSighting(s)
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
	c.writeHost(p, s)
}

// writeHost updates the host's row from a sighting at an edge.
func (c *Core) writeHost(p *port, s *sighting) {
	old, ok := c.tx.Host(s.id)
	if !ok && (c.hostCount >= c.limits.Hosts || p.hosts >= c.limits.AtPort) || old != nil && old.At != s.at &&
		p.hosts >= c.limits.AtPort {
		c.Counts.Refused.Add(1)
		return
	}
	next := &netview.Host{HostID: s.id, At: s.at, Seen: c.now, State: netview.HostConfirmed}
	switch {
	case !ok:
		c.hostCount++
		p.hosts++
		c.Counts.Learned.Add(1)
	case old.At != s.at:
		c.dropSeen(old)
		if q := c.port(old.At); q != nil {
			q.hosts--
		}
		p.hosts++
		next.IPs = old.IPs
		c.Counts.Moved.Add(1)
	default:
		next.IPs = old.IPs
	}
	next.IPs = c.withAddress(next, s)
	if s.ip.IsZero() || slices.Contains(next.IPs, s.ip.Netip()) {
		c.seen.add(c.seen.hashHost(s.id, s.at, s.ip))
	} else {
		c.seen.add(c.seen.hashHost(s.id, s.at, anyAddress))
	}
	if ok && old.At == s.at && old.State == next.State && len(old.IPs) == len(next.IPs) && slices.Equal(old.IPs, next.IPs) &&
		c.now.Sub(old.Seen) < refreshSeen/2 {
		return
	}
	c.tx.PutHost(next)
}

// withAddress returns a host's addresses with that of a sighting added. A host has up to
// Limits.IPs; beyond that one from ARP or ND replaces the least recently seen, and one from data
// (which a router may forward for anybody) is not learned.
func (c *Core) withAddress(h *netview.Host, s *sighting) []netip.Addr {
	if s.ip.IsZero() {
		return h.IPs
	}
	ip := s.ip.Netip()
	i, found := slices.BinarySearchFunc(h.IPs, ip, netip.Addr.Compare)
	if !s.certain && (found || len(h.IPs) >= c.limits.IPs) {
		return h.IPs
	}
	age := c.addressAges[h.HostID]
	if j := slices.Index(age, ip); j >= 0 {
		age = slices.Delete(age, j, j+1)
	}
	age = append(age, ip)
	ips := h.IPs
	if !found {
		ips = slices.Insert(slices.Clone(ips), i, ip)
		if len(ips) > c.limits.IPs {
			oldest := age[0]
			age = slices.Delete(age, 0, 1)
			c.seen.remove(c.seen.hashHost(h.HostID, h.At, packet.AddrFrom(oldest)))
			ips = slices.DeleteFunc(ips, func(a netip.Addr) bool { return a == oldest })
		}
	}
	c.addressAges[h.HostID] = age
	return ips
}

// dropSeen removes a host from the cache of known sightings.
func (c *Core) dropSeen(h *netview.Host) {
	c.seen.remove(c.seen.hashHost(h.HostID, h.At, packet.Addr{}))
	c.seen.remove(c.seen.hashHost(h.HostID, h.At, anyAddress))
	for _, ip := range h.IPs {
		c.seen.remove(c.seen.hashHost(h.HostID, h.At, packet.AddrFrom(ip)))
	}
}

// hostsAt returns the hosts at a port.
func (c *Core) hostsAt(at netview.Point) []*netview.Host {
	c.hostRows = c.hostRows[:0]
	for h := range c.tx.HostsAt(at) {
		c.hostRows = append(c.hostRows, h)
	}
	return c.hostRows
}

// setHostsUnconfirmed makes the hosts at a port unconfirmed.
func (c *Core) setHostsUnconfirmed(p *port) {
	for _, h := range c.hostsAt(p.at) {
		c.dropSeen(h)
		if h.State != netview.HostUnconfirmed {
			next := *h
			next.State = netview.HostUnconfirmed
			c.tx.PutHost(&next)
		}
	}
}

// deleteHostsAt deletes the hosts at a port that has become a link's.
func (c *Core) deleteHostsAt(p *port) {
	for _, h := range c.hostsAt(p.at) {
		c.endUnverified(h.HostID)
		c.dropSeen(h)
		delete(c.addressAges, h.HostID)
		delete(c.hostNotes, h.HostID)
		c.tx.DeleteHost(h.HostID)
		c.hostCount--
		c.Counts.Expelled.Add(1)
	}
	p.hosts = 0
}

// deferSighting keeps a sighting at a port of unknown role. Repetitions are filtered until the role
// is known.
func (c *Core) deferSighting(s *sighting) {
	list := c.pending[s.at]
	if c.pendingCount >= c.limits.Pending || len(list) >= max(c.limits.Pending/pendingShare, 1) {
		c.Counts.Refused.Add(1)
		return
	}
	if !slices.Contains(list, *s) {
		c.pending[s.at] = append(list, *s)
		c.pendingCount++
	}
	c.seen.add(c.seen.hashHost(s.id, s.at, s.ip))
}

// takePending removes and returns the deferred sightings of a port.
func (c *Core) takePending(at netview.Point) []sighting {
	list := c.pending[at]
	if list != nil {
		delete(c.pending, at)
		c.pendingCount -= len(list)
	}
	for i := range list {
		c.seen.remove(c.seen.hashHost(list[i].id, at, list[i].ip))
	}
	return list
}

func (c *Core) dropPending(at netview.Point) { c.takePending(at) }

func (c *Core) admitPending(p *port) {
	for _, s := range c.takePending(p.at) {
		c.admitHost(p, &s)
	}
}
