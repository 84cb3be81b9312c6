package delay

import (
	"math"
	"time"
)

// traffic is how much leaves by a port, or by all: bits a second, an average in which what is older counts
// less.
type traffic struct {
	at  time.Duration
	bps float64
}

// trafficTime is how old a frame is when it counts a share of 1/e of a new one.
const trafficTime = 50 * time.Millisecond

// rate adds a frame, and is the rate with it.
func (t *traffic) rate(size int, now time.Duration) float64 {
	if now > t.at {
		t.bps *= math.Exp(-float64(now-t.at) / float64(trafficTime))
		t.at = now
	}
	t.bps += float64(size) * 8 / trafficTime.Seconds()
	return t.bps
}
