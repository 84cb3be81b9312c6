package sim

import (
	"time"

	"github.com/weirnet/weir/timerq"
)

// epoch is when every simulation begins.
var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// clock is the time of a world, and what will happen: at the time that it was asked for, and of
// what was asked for the same time the first first. Only the world's run has time go on.
type clock struct {
	now   time.Time
	queue timerq.Times[func()]
}

// Now implements session.Driver.
func (c *clock) Now() time.Time { return c.now }

// elapsed is the simulated time since the begin.
func (c *clock) elapsed() time.Duration { return c.now.Sub(epoch) }

// at has something happen at a time.
func (c *clock) at(t time.Time, do func()) { c.queue.Add(t, do) }

// After implements emu.Driver.
func (c *clock) After(d time.Duration, do func()) { c.at(c.now.Add(d), do) }

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
