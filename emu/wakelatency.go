package emu

import (
	"sync/atomic"
	"time"
)

// wakeLatency is the moving average of the time from an event to the run of the goroutine that
// waits for it: a frame at a device that is read, or the alarm of an engine, by which it is
// measured.
type wakeLatency struct{ average atomic.Int64 }

// maxWakeLatency is the longest latency that counts: longer ones come from other load on the
// machine.
const maxWakeLatency = 150 * time.Microsecond

// add adds a measurement.
func (c *wakeLatency) add(took time.Duration) {
	if took < 0 || took > maxWakeLatency {
		return
	}
	old := c.average.Load()
	c.average.Store(old + (int64(took)-old)/16) // of two at once one is lost
}

// typical is the average.
func (c *wakeLatency) typical() time.Duration { return time.Duration(c.average.Load()) }
