package intent

import "github.com/weirnet/weir/ruleset"

// EachRoute calls visit for each intent and each of its routes for which keep returns true, in the
// order of numbers, until visit returns false. Intents that are being withdrawn are left out. It
// looks at all intents in parts, and blocks no writer for long: concurrent changes may or may not
// be seen.
func (e *Engine) EachRoute(keep func(*ruleset.Route) bool, visit func(*Intent, *ruleset.Route) bool) {
	for p := range e.catalog.copies(0, pageNumbers) {
		if p.rules == nil || p.state == Withdrawing {
			continue
		}
		for r := range p.rules.Routes() {
			if !keep(r) {
				continue
			}
			if in := p.intent(); !visit(&in, r) {
				return
			}
		}
	}
}
