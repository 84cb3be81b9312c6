package intent

import "net/netip"

// Wide returns the number of intents that take packets of other senders on links between switches,
// and the ids of the first of them, at most limit: wide intents whose packets carry no tags there (yet). If hosts have
// acquired addresses since the last call, it checks all intents, in parts. Those that have come to be wide by them are
// moved onto tags.
func (e *Engine) Wide(limit int) (count int, ids []string) {
	cat := e.catalog
	var byHosts []uint32
	cat.mu.Lock()
	if news := cat.admission.claims.TakeAddresses(); len(news) > 0 {
		cat.checkSources(news)
	}
	for _, n := range cat.admission.claims.Wide() {
		r := cat.records.entries.At(n)
		if r.rules == nil || r.rules.Tagged() {
			continue
		}
		if count++; count <= limit {
			ids = append(ids, r.id())
		}
		if cat.admission.claims.ByHosts(n) {
			byHosts = append(byHosts, n)
		}
	}
	cat.mu.Unlock()
	if len(byHosts) > 0 {
		e.mu.Lock()
		e.byHosts = byHosts
		e.mu.Unlock()
		e.Bell.Ring()
	}
	return count, ids
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
