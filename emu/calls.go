package emu

import (
	"sync/atomic"
	"time"
)

// calls is how long it takes a goroutine of this program to be called after what it waits for has happened: to a frame at a device
// that it reads, and to the alarm of an engine, by which it is measured. It is an average over the last calls.
type calls struct{ average atomic.Int64 }

// mostCall is the longest call that is believed: what takes longer was not a call, but a machine with other things to do.
const mostCall = 150 * time.Microsecond

// add takes note of a call.
func (c *calls) add(took time.Duration) {
	if took < 0 || took > mostCall {
		return
	}
	old := c.average.Load()
	c.average.Store(old + (int64(took)-old)/16) // of two at once one is lost
}

// typical is how long a call takes.
func (c *calls) typical() time.Duration { return time.Duration(c.average.Load()) }
