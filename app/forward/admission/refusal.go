package admission

import "sync"

// Bounds for switches that refuse rules.
const (
	// RefusedMax is the longest time, in seconds, for which a switch that refuses rules is sent
	// none of new pairs. It starts with one second and doubles; then one pair tries.
	RefusedMax = 60
	// RefusedForgotten is after how many seconds without a refusal such a switch counts as one that
	// takes rules.
	RefusedForgotten = 3 * RefusedMax
)

// Refusal is whether a switch refuses rules of new pairs. The zero Refusal is of one that takes them.
type Refusal struct {
	mu       sync.Mutex
	active   bool
	until    uint32 // second
	doubling uint32
	last     uint32 // second of the last refusal
	probe    uint32 // second in which a pair was admitted as a probe
}

// Refused records a refusal and reports whether it is the first.
func (r *Refusal) Refused(now uint32) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = !r.active
	if first || now >= r.until || r.last < r.probe {
		r.doubling = min(r.doubling+1, 7)
		r.until = now + min(uint32(1)<<(r.doubling-1), RefusedMax)
	}
	r.active, r.last = true, now
	return first
}

// Admits reports whether a new pair may be tried now.
func (r *Refusal) Admits(now uint32) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.active:
		return true
	case now < r.until:
		return false
	}
	r.probe, r.until = now, now+1
	return true
}

// Forget forgets the switch, and reports whether it refused rules.
func (r *Refusal) Forget() (was bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was = r.active
	r.active, r.until, r.doubling, r.last, r.probe = false, 0, 0, 0, 0
	return was
}

// Over reports, once, whether the switch has stopped refusing: the last try was not refused, or
// none was made for long.
func (r *Refusal) Over(now uint32) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.active || !(r.probe > r.last && now > r.probe) && now-r.last < RefusedForgotten {
		return false
	}
	r.active, r.until, r.doubling, r.last, r.probe = false, 0, 0, 0, 0
	return true
}
