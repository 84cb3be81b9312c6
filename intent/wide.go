package intent

import "net/netip"

// Wide returns the number of intents that match packets of other senders on links between switches,
// and the ids of the first of them, at most limit. If hosts have acquired addresses since the last
// call, it checks all intents, in parts.
func (e *Engine) Wide(limit int) (count int, ids []string) {
	cat := e.catalog
	cat.mu.Lock()
	defer cat.mu.Unlock()
	if news := cat.admission.claims.TakeAddresses(); len(news) > 0 {
		cat.checkSources(news)
	}
	list := cat.admission.claims.Wide()
	for _, n := range list[:min(limit, len(list))] {
		ids = append(ids, cat.records.entries.At(n).id())
	}
	return len(list), ids
}

// checkSources checks all intents. It releases the lock now and then.
func (cat *catalog) checkSources(news map[netip.Addr]bool) {
	for n := uint32(1); n <= cat.records.last; n++ {
		if n%pageNumbers == 0 {
			cat.mu.Unlock()
			cat.mu.Lock()
		}
		if cat.records.has(n) && cat.records.entries.At(n).state != Withdrawing {
			cat.admission.claims.CheckSource(n, news)
		}
	}
}
