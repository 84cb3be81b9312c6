package flowsync

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/timerq"
)

// deadlines are the times at which switches want to be looked at again. A switch has at most one
// that counts, switchState.wake; others are left over and do nothing.
type deadlines = timerq.Times[netview.DPID]

// wakeAt sees to it that the switch is looked at no later than t.
func (c *Core) wakeAt(sw *switchState, t time.Time) {
	if sw.wake.IsZero() || t.Before(sw.wake) {
		sw.wake = t
		c.deadlines.Add(t, sw.dpid)
	}
}

// due takes a switch whose time has come, nil if there is none.
func (c *Core) due(now time.Time) *switchState {
	if at := c.next(); at.IsZero() || at.After(now) {
		return nil
	}
	sw := c.switches[c.deadlines.Pop()]
	sw.wake = time.Time{}
	return sw
}

// next is the earliest deadline that counts, zero if there is none.
func (c *Core) next() time.Time {
	for {
		at, dpid, ok := c.deadlines.First()
		if sw := c.switches[dpid]; !ok || sw != nil && sw.wake.Equal(at) {
			return at
		}
		c.deadlines.Pop()
	}
}
