package intent

// Failed is how many intents have failed, by code. Records are looked at a part at a time, nothing of them is made: a million in milliseconds. Intents that
// come to a state or leave it meanwhile may be counted or not.
func (e *Engine) Failed() map[Code]int {
	f := e.front
	counts := make(map[Code]int)
	for after := uint32(0); ; after += pageNumbers {
		f.mu.Lock()
		for n := after + 1; n <= min(f.last, after+pageNumbers); n++ {
			if f.records.has(n) {
				if r := f.records.at(n); r.state == Failed {
					counts[r.code]++
				}
			}
		}
		last := f.last
		f.mu.Unlock()
		if last <= after+pageNumbers {
			return counts
		}
	}
}
