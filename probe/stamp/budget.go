package stamp

import "time"

// Budget is how many replies a reflector may send: PerSecond, and a tenth of a second's at once.
type Budget struct {
	PerSecond int

	left float64
	last time.Time
}

// Take reports whether one more may be sent now. Times do not go back.
func (b *Budget) Take(now time.Time) bool {
	most := max(float64(b.PerSecond)/10, 1)
	if b.last.IsZero() {
		b.left = most
	} else {
		b.left = min(most, b.left+now.Sub(b.last).Seconds()*float64(b.PerSecond))
	}
	b.last = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
