package delay

import (
	"time"

	"github.com/weirnet/weir/emu/profile"
)

// rateLimiter passes a number of messages a second, one after the other, and queues a number of
// further ones.
type rateLimiter struct {
	every float64 // nanoseconds for each; 0: no limit
	queue float64
	free  float64 // when the next message may pass
}

func newRateLimiter(r profile.Rate) rateLimiter {
	g := rateLimiter{queue: float64(r.Queue)}
	if r.PerSecond > 0 {
		g.every = float64(time.Second) / r.PerSecond
	}
	return g
}

// admit says when one that comes now passes; false if too many wait.
func (g *rateLimiter) admit(now time.Duration) (time.Duration, bool) {
	if g.every == 0 {
		return now, true
	}
	begin := max(float64(now), g.free)
	if (begin-float64(now))/g.every > g.queue {
		return 0, false
	}
	g.free = begin + g.every
	return time.Duration(begin), true
}
