package discovery

import (
	"net/netip"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// sighted handles a sighting: at an edge it makes, moves, or refreshes a host; at a port of unknown role it waits for
// what the port becomes; at a link it means nothing.
func (c *Core) sighted(s *sighting) {
	p := c.port(s.at)
	switch {
	case p == nil || !p.up || !p.device.connected || c.copied(p, s):
	case p.role == netview.PortLink:
		c.known.add(c.known.hashPort(p.at))
	case p.role == netview.PortEdge:
		c.answered(p, s)
		c.admit(p, s)
	default:
		c.answered(p, s)
		c.wait(s)
	}
}

// admit takes in a sighting at an edge. A host that is known elsewhere moves only if it is not there any more.
func (c *Core) admit(p *port, s *sighting) {
	if old, ok := c.tx.Host(s.id); ok && old.At != s.at {
		if !c.giveBack(old, s) {
			c.claimed(old, s)
		}
		return
	}
	c.write(p, s)
}

// write writes what a sighting at an edge says into the host's row.
func (c *Core) write(p *port, s *sighting) {
	old, ok := c.tx.Host(s.id)
	if !ok && (c.hosts >= c.cfg.Limits.Hosts || p.hosts >= c.cfg.Limits.AtPort) || old != nil && old.At != s.at && p.hosts >= c.cfg.Limits.AtPort {
		c.Counts.Refused.Add(1)
		return
	}
	next := &netview.Host{HostID: s.id, At: s.at, Seen: c.now, State: netview.HostConfirmed}
	switch {
	case !ok:
		c.hosts++
		p.hosts++
		c.Counts.Learned.Add(1)
	case old.At != s.at:
		c.forget(old)
		if q := c.port(old.At); q != nil {
			q.hosts--
		}
		p.hosts++
		next.IPs = old.IPs
		c.Counts.Moved.Add(1)
	default:
		next.IPs = old.IPs
	}
	next.IPs = c.withIP(next, s)
	if s.ip.IsZero() || slices.Contains(next.IPs, s.ip.Netip()) {
		c.known.add(c.known.hashHost(s.id, s.at, s.ip))
	} else {
		c.known.add(c.known.hashHost(s.id, s.at, anyAddress))
	}
	if ok && old.At == s.at && old.State == next.State && len(old.IPs) == len(next.IPs) && slices.Equal(old.IPs, next.IPs) &&
		c.now.Sub(old.Seen) < refreshSeen/2 {
		return
	}
	c.tx.PutHost(next)
}

// withIP is a host's addresses with that of a sighting among them. A host has up to Limits.IPs; beyond that one of ARP or
// ND replaces the one that was told longest ago, and one from data (a router's, that forwards for all the world) is not
// learned.
func (c *Core) withIP(h *netview.Host, s *sighting) []netip.Addr {
	if s.ip.IsZero() {
		return h.IPs
	}
	ip := s.ip.Netip()
	i, found := slices.BinarySearchFunc(h.IPs, ip, netip.Addr.Compare)
	if !s.certain && (found || len(h.IPs) >= c.cfg.Limits.IPs) {
		return h.IPs
	}
	age := c.ages[h.HostID]
	if j := slices.Index(age, ip); j >= 0 {
		age = slices.Delete(age, j, j+1)
	}
	age = append(age, ip)
	ips := h.IPs
	if !found {
		ips = slices.Insert(slices.Clone(ips), i, ip)
		if len(ips) > c.cfg.Limits.IPs {
			oldest := age[0]
			age = slices.Delete(age, 0, 1)
			c.known.remove(c.known.hashHost(h.HostID, h.At, packet.AddrFrom(oldest)))
			ips = slices.DeleteFunc(ips, func(a netip.Addr) bool { return a == oldest })
		}
	}
	c.ages[h.HostID] = age
	return ips
}

// forget takes a host out of the table of what is known.
func (c *Core) forget(h *netview.Host) {
	c.known.remove(c.known.hashHost(h.HostID, h.At, packet.Addr{}))
	c.known.remove(c.known.hashHost(h.HostID, h.At, anyAddress))
	for _, ip := range h.IPs {
		c.known.remove(c.known.hashHost(h.HostID, h.At, packet.AddrFrom(ip)))
	}
}

// hostsAt lists the hosts at a port.
func (c *Core) hostsAt(at netview.Point) []*netview.Host {
	c.hostRows = c.hostRows[:0]
	for h := range c.tx.HostsAt(at) {
		c.hostRows = append(c.hostRows, h)
	}
	return c.hostRows
}

// doubtHosts makes the hosts at a port unconfirmed.
func (c *Core) doubtHosts(p *port) {
	for _, h := range c.hostsAt(p.at) {
		c.forget(h)
		if h.State != netview.HostUnconfirmed {
			next := *h
			next.State = netview.HostUnconfirmed
			c.tx.PutHost(&next)
		}
	}
}

// expelHosts deletes the hosts at a port that has become a link's.
func (c *Core) expelHosts(p *port) {
	for _, h := range c.hostsAt(p.at) {
		c.endUnasked(h.HostID)
		c.forget(h)
		delete(c.ages, h.HostID)
		delete(c.notes, h.HostID)
		c.tx.DeleteHost(h.HostID)
		c.hosts--
		c.Counts.Expelled.Add(1)
	}
	p.hosts = 0
}

// wait keeps a sighting at a port of unknown role. Repetitions are known until the port's role is.
func (c *Core) wait(s *sighting) {
	list := c.pending[s.at]
	if c.waiting >= c.cfg.Limits.Pending || len(list) >= max(c.cfg.Limits.Pending/pendingShare, 1) {
		c.Counts.Refused.Add(1)
		return
	}
	if !slices.Contains(list, *s) {
		c.pending[s.at] = append(list, *s)
		c.waiting++
	}
	c.known.add(c.known.hashHost(s.id, s.at, s.ip))
}

// takePending takes out what waits for a port.
func (c *Core) takePending(at netview.Point) []sighting {
	list := c.pending[at]
	if list != nil {
		delete(c.pending, at)
		c.waiting -= len(list)
	}
	for i := range list {
		c.known.remove(c.known.hashHost(list[i].id, at, list[i].ip))
	}
	return list
}

func (c *Core) dropPending(at netview.Point) { c.takePending(at) }

func (c *Core) admitPending(p *port) {
	for _, s := range c.takePending(p.at) {
		c.admit(p, &s)
	}
}
