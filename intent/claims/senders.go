package claims

import (
	"net/netip"
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// senders has the intents that match packets of other senders on links between switches
// (spec.Spec.Boundless and Source): those without a source, and those whose source address a host
// elsewhere has since acquired.
type senders struct {
	numbers map[uint32]bool // true: independent of hosts
	sourced int             // intents with a source address

	hosts              map[netip.Addr][]netview.HostID // hosts that have, or had, an address; the view has the current ones
	hostCount          int                             // sum of the lengths of the lists in hosts
	hostCountAtRebuild int                             // hostCount when hosts was last rebuilt
	newAddresses       map[netip.Addr]bool             // that hosts have got, or moved with, since they were last taken
}

// holdSource indexes an intent by its source.
func (c *Claims) holdSource(s *spec.Spec, n uint32) {
	w := &c.senders
	switch how, _ := s.Sender(); how {
	case spec.AnySender:
		w.numbers[n] = true
	case spec.ByAddress:
		w.sourced++
		if _, h := c.hostElsewhere(s); h != nil {
			w.numbers[n] = false
		}
	}
}

// releaseSource undoes holdSource.
func (c *Claims) releaseSource(s *spec.Spec, n uint32) {
	w := &c.senders
	if len(w.numbers) > 0 {
		delete(w.numbers, n)
	}
	if _, ok := s.Source(); ok {
		w.sourced--
	}
}

// hostElsewhere returns the source address of an intent and a host that has it at a port that is not
// an ingress of the intent; nil if there is none.
func (c *Claims) hostElsewhere(s *spec.Spec) (netip.Addr, *netview.Host) {
	a, ok := s.Source()
	ids := c.senders.hosts[a]
	if !ok || len(ids) == 0 {
		return a, nil
	}
	var room [4]netview.Point
	ingress, snap := s.Ingress(room[:0]), c.view.Snapshot()
	for _, id := range ids {
		if h, ok := snap.Host(id); ok && slices.Contains(h.IPs, a) && !slices.Contains(ingress, h.At) {
			return a, h
		}
	}
	return a, nil
}

// Learn indexes the addresses of new or changed hosts; all: any may have changed.
func (c *Claims) Learn(all bool, changes []netview.Change, snap *netview.Snapshot) {
	w := &c.senders
	// rebuild before most entries are stale
	if all || w.hostCount > 2*w.hostCountAtRebuild+maxStaleHosts {
		clear(w.hosts)
		w.hostCount = 0
		for h := range snap.Hosts() {
			w.addHost(h, all)
		}
		w.hostCountAtRebuild = w.hostCount
	}
	for i := range changes {
		if ch := &changes[i]; ch.Kind == netview.KindHost && !ch.Deleted {
			w.addHost(ch.Host, true)
		}
	}
}

// maxStaleHosts is how many stale addresses may be kept besides as many as there were.
const maxStaleHosts = 4096

// addHost indexes a host's addresses; news: intents are to be checked for them.
func (w *senders) addHost(h *netview.Host, news bool) {
	for _, a := range h.IPs {
		if !slices.Contains(w.hosts[a], h.HostID) {
			w.hosts[a] = append(w.hosts[a], h.HostID)
			w.hostCount++
		}
		if news && w.sourced > 0 {
			w.newAddresses[a] = true
		}
	}
}

// Wide returns the intents that are wide now, in the order of their numbers.
func (c *Claims) Wide() []uint32 {
	list := make([]uint32, 0, len(c.senders.numbers))
	for n, always := range c.senders.numbers {
		if !always {
			s := spec.Read(c.content(n))
			if _, h := c.hostElsewhere(&s); h == nil {
				delete(c.senders.numbers, n)
				continue
			}
		}
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// ByHosts reports whether an intent is wide because a host elsewhere has the address that fixes its source.
func (c *Claims) ByHosts(n uint32) bool {
	if len(c.senders.numbers) == 0 {
		return false
	}
	always, wide := c.senders.numbers[n]
	return wide && !always
}

// TakeAddresses returns the addresses that hosts have got since the last call. All intents are to be checked
// for them (CheckSource) before Wide knows of those who have become wide by them.
func (c *Claims) TakeAddresses() map[netip.Addr]bool {
	news := c.senders.newAddresses
	if len(news) > 0 {
		c.senders.newAddresses = make(map[netip.Addr]bool)
	}
	return news
}

// CheckSource notes that an intent is wide if its source is one of some addresses and a host
// elsewhere has it.
func (c *Claims) CheckSource(n uint32, news map[netip.Addr]bool) {
	content := c.content(n)
	if a, ok := spec.SourceIn(content); !ok || !news[a] {
		return
	}
	s := spec.Read(content)
	if _, h := c.hostElsewhere(&s); h != nil {
		c.senders.numbers[n] = false
	}
}
