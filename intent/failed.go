package intent

// Failed counts the failed intents by code. It looks at the records in parts without copying them:
// a million takes milliseconds. Intents that enter or leave the state meanwhile may or may not be
// counted.
func (e *Engine) Failed() map[Code]int {
	adm := e.admission
	counts := make(map[Code]int)
	for after := uint32(0); ; after += pageNumbers {
		adm.mu.Lock()
		for n := after + 1; n <= min(adm.last, after+pageNumbers); n++ {
			if adm.records.has(n) {
				if r := adm.records.at(n); r.state == Failed {
					counts[r.code]++
				}
			}
		}
		last := adm.last
		adm.mu.Unlock()
		if last <= after+pageNumbers {
			return counts
		}
	}
}
