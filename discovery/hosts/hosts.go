package hosts

import (
	"net/netip"
	"slices"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// Rows writes the rows of hosts, within their limits, and keeps what belongs to them: which of
// their addresses were seen when, whether they ever answered, their entries in the cache of known
// sightings, and how many are at each port.
type Rows struct {
	*inventory.Table
	seen  *SeenCache
	Count int
	ages  map[netview.HostID][]netip.Addr // addresses, the least recently seen first
	notes map[netview.HostID]hostNote
	at    []*netview.Host // scratch of hostsAt
}

// hostNote is what is kept of a host besides its row.
type hostNote struct {
	queried  time.Time
	answered bool // it has once answered a query, so it is real
}

func newRows(t *inventory.Table, seen *SeenCache) *Rows {
	return &Rows{
		Table: t, seen: seen,
		ages: make(map[netview.HostID][]netip.Addr), notes: make(map[netview.HostID]hostNote),
	}
}

// learn updates a host's row from a sighting at an edge: it is new, has moved there, or is there.
func (t *Rows) learn(p *inventory.Port, s *Sighting) {
	old, known := t.Tx.Host(s.ID)
	here := known && old.At == s.At
	if !known && t.Count >= t.Limits.Hosts || !here && p.Hosts >= t.Limits.AtPort {
		t.Counts.Refused.Add(1)
		return
	}
	next := &netview.Host{HostID: s.ID, At: s.At, Seen: t.Now, State: netview.HostConfirmed}
	if known {
		next.IPs = old.IPs
	}
	switch {
	case !known:
		t.Count++
		p.Hosts++
		t.Counts.Learned.Add(1)
	case !here:
		t.dropSeen(old)
		if q := t.Port(old.At); q != nil {
			q.Hosts--
		}
		p.Hosts++
		t.Counts.Moved.Add(1)
	}
	next.IPs = t.withAddress(next, s)
	if s.IP.IsZero() || slices.Contains(next.IPs, s.IP.Netip()) {
		t.seen.add(t.seen.hashHost(s.ID, s.At, s.IP))
	} else {
		t.seen.add(t.seen.hashHost(s.ID, s.At, anyAddress))
	}
	if !here || old.State != next.State || !slices.Equal(old.IPs, next.IPs) || t.Now.Sub(old.Seen) >= RefreshSeen/2 {
		t.Tx.PutHost(next)
	}
}

// LearnAddress adds an address to a confirmed host.
func (t *Rows) LearnAddress(s *Sighting) {
	h, ok := t.Tx.Host(s.ID)
	if !ok || h.State != netview.HostConfirmed || !isHostAddress(s.IP) {
		return
	}
	next := *h
	if next.IPs = t.withAddress(&next, s); !slices.Equal(next.IPs, h.IPs) {
		t.Tx.PutHost(&next)
	}
}

// withAddress returns a host's addresses with that of a sighting added. A host has up to
// Limits.IPs; beyond that one from ARP or ND replaces the least recently seen, and one from data
// (which a router may forward for anybody) is not learned.
func (t *Rows) withAddress(h *netview.Host, s *Sighting) []netip.Addr {
	if s.IP.IsZero() {
		return h.IPs
	}
	ip := s.IP.Netip()
	i, found := slices.BinarySearchFunc(h.IPs, ip, netip.Addr.Compare)
	if !s.Certain && (found || len(h.IPs) >= t.Limits.IPs) {
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
		if len(ips) > t.Limits.IPs {
			oldest := age[0]
			age = slices.Delete(age, 0, 1)
			t.seen.remove(t.seen.hashHost(h.HostID, h.At, packet.AddrFrom(oldest)))
			ips = slices.DeleteFunc(ips, func(a netip.Addr) bool { return a == oldest })
		}
	}
	t.ages[h.HostID] = age
	return ips
}

// Restore adds a host of the previous process at its port, unconfirmed, if there is room.
func (t *Rows) Restore(p *inventory.Port, h *netview.Host) {
	if _, twice := t.Tx.Host(h.HostID); twice || t.Count >= t.Limits.Hosts || p.Hosts >= t.Limits.AtPort {
		return
	}
	row := *h
	row.State = netview.HostUnconfirmed
	row.IPs = row.IPs[:min(len(row.IPs), t.Limits.IPs)]
	if row.Seen.After(t.Now) {
		row.Seen = t.Now // the clock was set back
	}
	t.ages[row.HostID] = slices.Clone(row.IPs)
	t.Tx.PutHost(&row)
	t.Count++
	p.Hosts++
}

// delete deletes a host with what is kept of it here.
func (t *Rows) delete(h *netview.Host) {
	t.dropSeen(h)
	delete(t.ages, h.HostID)
	delete(t.notes, h.HostID)
	if p := t.Port(h.At); p != nil {
		p.Hosts--
	}
	t.Tx.DeleteHost(h.HostID)
	t.Count--
}

// dropSeen removes a host from the cache of known sightings.
func (t *Rows) dropSeen(h *netview.Host) {
	t.seen.remove(t.seen.hashHost(h.HostID, h.At, packet.Addr{}))
	t.seen.remove(t.seen.hashHost(h.HostID, h.At, anyAddress))
	for _, ip := range h.IPs {
		t.seen.remove(t.seen.hashHost(h.HostID, h.At, packet.AddrFrom(ip)))
	}
}

// hostsAt returns the hosts at a port. The list is valid until the next call.
func (t *Rows) hostsAt(at netview.Point) []*netview.Host {
	t.at = slices.AppendSeq(t.at[:0], t.Tx.HostsAt(at))
	return t.at
}

// SetUnconfirmed makes the hosts at a port unconfirmed.
func (t *Rows) SetUnconfirmed(p *inventory.Port) {
	for _, h := range t.hostsAt(p.At) {
		t.dropSeen(h)
		if h.State != netview.HostUnconfirmed {
			next := *h
			next.State = netview.HostUnconfirmed
			t.Tx.PutHost(&next)
		}
	}
}

// note changes what is kept of a host besides its row.
func (t *Rows) note(id netview.HostID, change func(*hostNote)) {
	n := t.notes[id]
	change(&n)
	t.notes[id] = n
}
