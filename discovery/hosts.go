package discovery

import (
	"net/netip"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// hostTable writes the rows of hosts, within their limits, and keeps what belongs to them: which of
// their addresses were seen when, whether they ever answered, their entries in the cache of known
// sightings, and how many are at each port.
type hostTable struct {
	*deviceTable
	seen  *seenCache
	count int
	ages  map[netview.HostID][]netip.Addr // addresses, the least recently seen first
	notes map[netview.HostID]hostNote
	rows  []*netview.Host // scratch of hostsAt
}

// hostNote is what is kept of a host besides its row.
type hostNote struct {
	queried  time.Time
	answered bool // it has once answered a query, so it is real
}

func newHostTable(t *deviceTable, seen *seenCache) *hostTable {
	return &hostTable{
		deviceTable: t, seen: seen,
		ages: make(map[netview.HostID][]netip.Addr), notes: make(map[netview.HostID]hostNote),
	}
}

// learn updates a host's row from a sighting at an edge: it is new, has moved there, or is there.
func (t *hostTable) learn(p *port, s *sighting) {
	old, known := t.tx.Host(s.id)
	here := known && old.At == s.at
	if !known && t.count >= t.limits.Hosts || !here && p.hosts >= t.limits.AtPort {
		t.Counts.Refused.Add(1)
		return
	}
	next := &netview.Host{HostID: s.id, At: s.at, Seen: t.now, State: netview.HostConfirmed}
	if known {
		next.IPs = old.IPs
	}
	switch {
	case !known:
		t.count++
		p.hosts++
		t.Counts.Learned.Add(1)
	case !here:
		t.dropSeen(old)
		if q := t.port(old.At); q != nil {
			q.hosts--
		}
		p.hosts++
		t.Counts.Moved.Add(1)
	}
	next.IPs = t.withAddress(next, s)
	if s.ip.IsZero() || slices.Contains(next.IPs, s.ip.Netip()) {
		t.seen.add(t.seen.hashHost(s.id, s.at, s.ip))
	} else {
		t.seen.add(t.seen.hashHost(s.id, s.at, anyAddress))
	}
	if !here || old.State != next.State || !slices.Equal(old.IPs, next.IPs) || t.now.Sub(old.Seen) >= refreshSeen/2 {
		t.tx.PutHost(next)
	}
}

// learnAddress adds an address to a confirmed host.
func (t *hostTable) learnAddress(s *sighting) {
	h, ok := t.tx.Host(s.id)
	if !ok || h.State != netview.HostConfirmed || !isHostAddress(s.ip) {
		return
	}
	next := *h
	if next.IPs = t.withAddress(&next, s); !slices.Equal(next.IPs, h.IPs) {
		t.tx.PutHost(&next)
	}
}

// withAddress returns a host's addresses with that of a sighting added. A host has up to
// Limits.IPs; beyond that one from ARP or ND replaces the least recently seen, and one from data
// (which a router may forward for anybody) is not learned.
func (t *hostTable) withAddress(h *netview.Host, s *sighting) []netip.Addr {
	if s.ip.IsZero() {
		return h.IPs
	}
	ip := s.ip.Netip()
	i, found := slices.BinarySearchFunc(h.IPs, ip, netip.Addr.Compare)
	if !s.certain && (found || len(h.IPs) >= t.limits.IPs) {
		return h.IPs
	}
	age := t.ages[h.HostID]
	if j := slices.Index(age, ip); j >= 0 {
		age = slices.Delete(age, j, j+1)
	}
	age = append(age, ip)
	ips := h.IPs
	if !found {
		ips = slices.Insert(slices.Clone(ips), i, ip)
		if len(ips) > t.limits.IPs {
			oldest := age[0]
			age = slices.Delete(age, 0, 1)
			t.seen.remove(t.seen.hashHost(h.HostID, h.At, packet.AddrFrom(oldest)))
			ips = slices.DeleteFunc(ips, func(a netip.Addr) bool { return a == oldest })
		}
	}
	t.ages[h.HostID] = age
	return ips
}

// restore adds a host of the previous process at its port, unconfirmed, if there is room.
func (t *hostTable) restore(p *port, h *netview.Host) {
	if _, twice := t.tx.Host(h.HostID); twice || t.count >= t.limits.Hosts || p.hosts >= t.limits.AtPort {
		return
	}
	row := *h
	row.State = netview.HostUnconfirmed
	row.IPs = row.IPs[:min(len(row.IPs), t.limits.IPs)]
	if row.Seen.After(t.now) {
		row.Seen = t.now // the clock was set back
	}
	t.ages[row.HostID] = slices.Clone(row.IPs)
	t.tx.PutHost(&row)
	t.count++
	p.hosts++
}

// delete deletes a host with what is kept of it here.
func (t *hostTable) delete(h *netview.Host) {
	t.dropSeen(h)
	delete(t.ages, h.HostID)
	delete(t.notes, h.HostID)
	if p := t.port(h.At); p != nil {
		p.hosts--
	}
	t.tx.DeleteHost(h.HostID)
	t.count--
}

// dropSeen removes a host from the cache of known sightings.
func (t *hostTable) dropSeen(h *netview.Host) {
	t.seen.remove(t.seen.hashHost(h.HostID, h.At, packet.Addr{}))
	t.seen.remove(t.seen.hashHost(h.HostID, h.At, anyAddress))
	for _, ip := range h.IPs {
		t.seen.remove(t.seen.hashHost(h.HostID, h.At, packet.AddrFrom(ip)))
	}
}

// hostsAt returns the hosts at a port. The list is valid until the next call.
func (t *hostTable) hostsAt(at netview.Point) []*netview.Host {
	t.rows = slices.AppendSeq(t.rows[:0], t.tx.HostsAt(at))
	return t.rows
}

// setUnconfirmed makes the hosts at a port unconfirmed.
func (t *hostTable) setUnconfirmed(p *port) {
	for _, h := range t.hostsAt(p.at) {
		t.dropSeen(h)
		if h.State != netview.HostUnconfirmed {
			next := *h
			next.State = netview.HostUnconfirmed
			t.tx.PutHost(&next)
		}
	}
}

// note changes what is kept of a host besides its row.
func (t *hostTable) note(id netview.HostID, change func(*hostNote)) {
	n := t.notes[id]
	change(&n)
	t.notes[id] = n
}
