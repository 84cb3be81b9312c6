package stats

import (
	"math"
	"time"
)

// NotCounted is the value of a counter that the switch does not have: all ones (see
// openflow.PortStats).
const NotCounted = math.MaxUint64

// advance is by how much a counter went on from one answer to the next. ok is false if it went back
// and that is no wrap: a counter wraps from the last half of its range, of 32 or of 64 bits, into
// the first, and goes on by less than half.
func advance(was, now uint64) (by uint64, ok bool) {
	const half32, half64 = 1 << 31, 1 << 63
	switch {
	case now >= was:
		return now - was, true
	case was >= half32 && was < 2*half32 && now < half32:
		by = now + 2*half32 - was
		return by, by < half32
	case was >= half64 && now < half64:
		by = now - was // modulo 2⁶⁴
		return by, by < half64
	}
	return 0, false
}

// countersAdvance is by how much the counters of one object advanced. Counted is a bit for each
// that has a value in both. All is false if one of them went back: then the switch has begun to
// count anew, and those that seem to have gone on have not.
func countersAdvance(by, was, now []uint64) (counted uint16, all bool) {
	for i := range now {
		by[i] = 0
		if was[i] == NotCounted || now[i] == NotCounted {
			continue
		}
		n, ok := advance(was[i], now[i])
		if !ok {
			clear(by)
			return 0, false
		}
		by[i] = n
		counted |= 1 << i
	}
	return counted, true
}

// rate is how fast a counter went on, a second.
func rate(by uint64, span time.Duration) float64 { return float64(by) / span.Seconds() }
