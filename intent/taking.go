package intent

import "github.com/weirnet/weir/program"

// Taking has visit told of the intents whose packets take routes that keep wants, and of each such route of one, in the order of their numbers, until visit
// returns false. Intents that are being withdrawn are left out. It looks at all of them, a part at a time, and nobody waits for it: what changes meanwhile may
// or may not be seen.
func (e *Engine) Taking(keep func(*program.Route) bool, visit func(*Intent, *program.Route) bool) {
	f := e.front
	var room []numbered
	for after := uint32(0); ; {
		f.mu.Lock()
		page, last := f.page(after, pageNumbers, room[:0])
		f.mu.Unlock()
		for i := range page {
			p := &page[i]
			if p.record.program == nil || p.record.state == Withdrawing {
				continue
			}
			for k := range p.record.program.Legs {
				r := p.record.program.Legs[k].Route
				if k > 0 && r == p.record.program.Legs[k-1].Route || !keep(r) {
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
