package liveness

import (
	"math"
	"time"
)

// halfLife is in which time a delay that was measured counts half. One stop of 40 ms is worth less than a period of
// 10 ms after two seconds.
const halfLife = time.Second

// lateness is the decaying maximum of delays. All decay alike, so that the largest one of a time is so ever after, and
// one value is enough.
type lateness struct {
	value time.Duration // as it was at
	at    time.Time
}

// now is what the delays are worth at a time.
func (l lateness) now(t time.Time) time.Duration {
	age := t.Sub(l.at)
	if l.value == 0 || age > 30*halfLife {
		return 0
	}
	return time.Duration(float64(l.value) * math.Exp2(-float64(max(age, 0))/float64(halfLife)))
}

// add takes note of a delay.
func (l *lateness) add(d time.Duration, t time.Time) {
	if d >= l.now(t) {
		*l = lateness{d, t}
	}
}
