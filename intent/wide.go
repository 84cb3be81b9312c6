package intent

import (
	"net/netip"
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// wide are the intents that take packets of others on links between switches (spec.Spec.Boundless and Source): those that said so, and those whose source
// address a host elsewhere has come to have. It is guarded by the front's mutex.
type wide struct {
	numbers map[uint32]bool // true: whatever hosts there are
	sourced int             // intents whose address decides

	hosts map[netip.Addr][]netview.HostID // who has had an address; the view says who has it
	news  map[netip.Addr]bool             // addresses that hosts have come to have, or elsewhere, since intents were looked at
}

func newWide() wide {
	return wide{numbers: make(map[uint32]bool), hosts: make(map[netip.Addr][]netview.HostID), news: make(map[netip.Addr]bool)}
}

// add notes an intent.
func (f *front) addWide(s *spec.Spec, n uint32) {
	w := &f.wide
	switch how, a := s.Sender(); how {
	case spec.Anybody:
		w.numbers[n] = true
	case spec.ByAddress:
		w.sourced++
		if _, there := f.elsewhere(s, a); there {
			w.numbers[n] = false
		}
	}
}

// removeWide forgets an intent.
func (f *front) removeWide(s *spec.Spec, n uint32) {
	w := &f.wide
	if len(w.numbers) > 0 {
		delete(w.numbers, n)
	}
	if _, ok := s.Source(); ok {
		w.sourced--
	}
}

// elsewhere finds a host that has an address at a port where packets of an intent do not come in.
func (f *front) elsewhere(s *spec.Spec, a netip.Addr) (*netview.Host, bool) {
	ids := f.wide.hosts[a]
	if len(ids) == 0 {
		return nil, false
	}
	var room [4]netview.Point
	ingress, snap := s.Ingress(room[:0]), f.config.View.Snapshot()
	for _, id := range ids {
		if h, ok := snap.Host(id); ok && slices.Contains(h.IPs, a) && !slices.Contains(ingress, h.At) {
			return h, true
		}
	}
	return nil, false
}

// takesOthers refuses an intent whose source address a host elsewhere has, if it does not say that it is wide.
func (f *front) takesOthers(s *spec.Spec) error {
	if s.Wide || len(f.wide.hosts) == 0 {
		return nil
	}
	a, ok := s.Source()
	if !ok {
		return nil
	}
	if h, there := f.elsewhere(s, a); there {
		return spec.WideSource(a, h.HostID, h.At)
	}
	return nil
}

// learn takes the addresses of hosts that have come, or changed.
func (f *front) learn(facts *Facts) {
	w := &f.wide
	if facts.Whole || len(w.hosts) > 4*facts.Snap.Counts().Hosts+4096 { // mostly addresses that nobody has any more
		clear(w.hosts)
		for h := range facts.Snap.Hosts() {
			w.learn(h)
		}
		return
	}
	for i := range facts.Changes {
		if c := &facts.Changes[i]; c.Kind == netview.KindHost && !c.Deleted {
			w.learn(c.Host)
		}
	}
}

func (w *wide) learn(h *netview.Host) {
	for _, a := range h.IPs {
		if !slices.Contains(w.hosts[a], h.HostID) {
			w.hosts[a] = append(w.hosts[a], h.HostID)
		}
		if w.sourced > 0 {
			w.news[a] = true
		}
	}
}

// Wide are how many intents take packets of others on links between switches, and the ids of the first of them, at most limit. An address that a host has
// come to have since the last call has all intents looked at, a part at a time.
func (e *Engine) Wide(limit int) (count int, ids []string) {
	f := e.front
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.wide.news) > 0 {
		news := f.wide.news
		f.wide.news = make(map[netip.Addr]bool)
		f.lookForWide(news)
	}
	list := make([]uint32, 0, len(f.wide.numbers))
	for n, always := range f.wide.numbers {
		if !always {
			s := parsed(f.records.at(n).content)
			if a, ok := s.Source(); ok {
				if _, always = f.elsewhere(&s, a); !always {
					delete(f.wide.numbers, n)
				}
			}
		}
		if always {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	for _, n := range list[:min(limit, len(list))] {
		ids = append(ids, f.records.at(n).id())
	}
	return len(list), ids
}

// lookForWide looks for intents whose source address is one of some. The lock is given back now and then.
func (f *front) lookForWide(news map[netip.Addr]bool) {
	for n := uint32(1); n <= f.last; n++ {
		if n%pageNumbers == 0 {
			f.mu.Unlock()
			f.mu.Lock()
		}
		if !f.records.has(n) || f.leaving(n) {
			continue
		}
		content := f.records.at(n).content
		if a, ok := spec.SourceIn(content); ok && news[a] {
			s := parsed(content)
			if a, ok := s.Source(); ok {
				if _, there := f.elsewhere(&s, a); there {
					f.wide.numbers[n] = false
				}
			}
		}
	}
}
