package delay

import (
	"time"

	"github.com/weirnet/weir/emu/profile"
)

// capacity forwards one frame after the other, each in its time, and holds back what comes faster.
type capacity struct {
	free float64 // nanoseconds: when the next frame may begin
}

// serve is when a frame that comes now has been forwarded; false if it would have to wait for too
// long.
func (c *capacity) serve(t *profile.Throughput, size int, now time.Duration) (time.Duration, bool) {
	takes := t.Takes(size)
	if takes == 0 {
		return now, true
	}
	begin := max(float64(now), c.free)
	if begin-float64(now) > float64(t.Wait) {
		return 0, false
	}
	c.free = begin + takes
	return time.Duration(c.free), true
}
