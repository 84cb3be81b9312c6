package intent

import (
	"net/netip"
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// wide has the intents that match packets of other senders on links between switches
// (spec.Spec.Boundless and Source): those whose spec says so, and those whose source address a host
// elsewhere has since acquired. It is part of admission.
type wide struct {
	numbers map[uint32]bool // true: independent of hosts
	sourced int             // intents with a source address

	hosts              map[netip.Addr][]netview.HostID // hosts that have, or had, an address; the view has the current ones
	hostCount          int                             // sum of the lengths of the lists in hosts
	hostCountAtRebuild int                             // hostCount when hosts was last rebuilt
	newAddresses       map[netip.Addr]bool             // that hosts have got, or moved with, since they were last taken
}

func newWide() wide {
	return wide{numbers: make(map[uint32]bool), hosts: make(map[netip.Addr][]netview.HostID),
		newAddresses: make(map[netip.Addr]bool)}
}

// holdSource indexes an intent by its source.
func (adm *admission) holdSource(s *spec.Spec, n uint32) {
	w := &adm.wide
	switch how, _ := s.Sender(); how {
	case spec.AnySender:
		w.numbers[n] = true
	case spec.ByAddress:
		w.sourced++
		if _, h := adm.hostElsewhere(s); h != nil {
			w.numbers[n] = false
		}
	}
}

// releaseSource undoes holdSource.
func (adm *admission) releaseSource(s *spec.Spec, n uint32) {
	w := &adm.wide
	if len(w.numbers) > 0 {
		delete(w.numbers, n)
	}
	if _, ok := s.Source(); ok {
		w.sourced--
	}
}

// hostElsewhere returns the source address of an intent and a host that has it at a port that is not
// an ingress of the intent; nil if there is none.
func (adm *admission) hostElsewhere(s *spec.Spec) (netip.Addr, *netview.Host) {
	a, ok := s.Source()
	ids := adm.wide.hosts[a]
	if !ok || len(ids) == 0 {
		return a, nil
	}
	var room [4]netview.Point
	ingress, snap := s.Ingress(room[:0]), adm.view.Snapshot()
	for _, id := range ids {
		if h, ok := snap.Host(id); ok && slices.Contains(h.IPs, a) && !slices.Contains(ingress, h.At) {
			return a, h
		}
	}
	return a, nil
}

// checkWide rejects an intent whose source address a host elsewhere has, if its spec does not say
// that it is wide.
func (adm *admission) checkWide(s *spec.Spec) error {
	if s.Wide || len(adm.wide.hosts) == 0 {
		return nil
	}
	if a, h := adm.hostElsewhere(s); h != nil {
		return spec.WideSource(a, h.HostID, h.At)
	}
	return nil
}

// learnHosts indexes the addresses of new or changed hosts.
func (adm *admission) learnHosts(facts *NetworkUpdate) {
	w := &adm.wide
	// rebuild before most entries are stale
	if whole := facts.Resync; whole || w.hostCount > 2*w.hostCountAtRebuild+maxStaleHosts {
		clear(w.hosts)
		w.hostCount = 0
		for h := range facts.Snap.Hosts() {
			w.addHost(h, whole)
		}
		w.hostCountAtRebuild = w.hostCount
	}
	for i := range facts.Changes {
		if c := &facts.Changes[i]; c.Kind == netview.KindHost && !c.Deleted {
			w.addHost(c.Host, true)
		}
	}
}

// maxStaleHosts is how many stale addresses may be kept besides as many as there were.
const maxStaleHosts = 4096

// addHost indexes a host's addresses; news: intents are to be checked for them.
func (w *wide) addHost(h *netview.Host, news bool) {
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

// wideIntents returns the intents that are wide now, in the order of their numbers.
func (adm *admission) wideIntents() []uint32 {
	list := make([]uint32, 0, len(adm.wide.numbers))
	for n, always := range adm.wide.numbers {
		if !always {
			s := spec.Read(adm.content(n))
			if _, h := adm.hostElsewhere(&s); h == nil {
				delete(adm.wide.numbers, n)
				continue
			}
		}
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// checkSource notes that an intent is wide if its source is one of some addresses and a host
// elsewhere has it.
func (adm *admission) checkSource(n uint32, news map[netip.Addr]bool) {
	content := adm.content(n)
	if a, ok := spec.SourceIn(content); !ok || !news[a] {
		return
	}
	s := spec.Read(content)
	if _, h := adm.hostElsewhere(&s); h != nil {
		adm.wide.numbers[n] = false
	}
}

// Wide returns the number of intents that match packets of other senders on links between switches,
// and the ids of the first of them, at most limit. If hosts have acquired addresses since the last
// call, it checks all intents, in parts.
func (e *Engine) Wide(limit int) (count int, ids []string) {
	cat := e.catalog
	cat.mu.Lock()
	defer cat.mu.Unlock()
	if news := cat.admission.wide.newAddresses; len(news) > 0 {
		cat.admission.wide.newAddresses = make(map[netip.Addr]bool)
		cat.checkSources(news)
	}
	list := cat.admission.wideIntents()
	for _, n := range list[:min(limit, len(list))] {
		ids = append(ids, cat.entries.At(n).id())
	}
	return len(list), ids
}

// checkSources checks all intents. It releases the lock now and then.
func (cat *catalog) checkSources(news map[netip.Addr]bool) {
	for n := uint32(1); n <= cat.last; n++ {
		if n%pageNumbers == 0 {
			cat.mu.Unlock()
			cat.mu.Lock()
		}
		if cat.has(n) && cat.entries.At(n).state != Withdrawing {
			cat.admission.checkSource(n, news)
		}
	}
}
