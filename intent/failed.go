package intent

// Failed counts the failed intents by code. It looks at the entries in parts without copying them:
// a million takes milliseconds. Intents that enter or leave the state meanwhile may or may not be
// counted.
func (e *Engine) Failed() map[Code]int {
	cat := e.catalog
	counts := make(map[Code]int)
	for after := uint32(0); ; after += pageNumbers {
		cat.mu.Lock()
		for n := after + 1; n <= min(cat.records.last, after+pageNumbers); n++ {
			if cat.records.has(n) {
				if r := cat.records.entries.At(n); r.state == Failed {
					counts[r.code]++
				}
			}
		}
		last := cat.records.last
		cat.mu.Unlock()
		if last <= after+pageNumbers {
			return counts
		}
	}
}
