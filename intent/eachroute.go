package intent

import "github.com/weirnet/weir/ruleset"

// EachRoute calls visit for each intent and each of its routes for which keep returns true, in the
// order of numbers, until visit returns false. Intents that are being withdrawn are left out. It
// looks at all intents in parts, and blocks no writer for long: concurrent changes may or may not
// be seen.
func (e *Engine) EachRoute(keep func(*ruleset.Route) bool, visit func(*Intent, *ruleset.Route) bool) {
	cat := e.catalog
	var room []numberedRecord
	for after := uint32(0); ; {
		cat.mu.Lock()
		page, last := cat.page(after, pageNumbers, room[:0])
		cat.mu.Unlock()
		for i := range page {
			p := &page[i]
			if p.record.rules == nil || p.record.state == Withdrawing {
				continue
			}
			for r := range routes(p.record.rules) {
				if !keep(r) {
					continue
				}
				in := p.record.intent(p.number, p.text)
				if !visit(&in, r) {
					return
				}
			}
		}
		if last == 0 {
			return
		}
		after, room = last, page
	}
}
