package discovery

import (
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

const (
	vanishWithin = 10 * time.Second // sessions lost within that time count as lost at once
	maxSuspicion = time.Hour        // then a suspicion ends
	minVanished  = 3                // switches, and half of the connected ones, whose loss makes the control network suspect
)

// loss is the loss of a session.
type loss struct {
	dpid netview.DPID
	at   time.Time
}

// controlSuspected reports whether the control network is suspected: many switches disconnected at
// once, and are not back.
func (c *Core) controlSuspected() bool { return len(c.missing) > 0 }

// expireSuspicion ends a suspicion that has lasted for too long: the missing switches will not come
// back.
func (c *Core) expireSuspicion() {
	if c.controlSuspected() && c.now.Sub(c.suspectedSince) >= maxSuspicion {
		c.endSuspicion()
	}
}

// endSuspicion ends the suspicion.
func (c *Core) endSuspicion() {
	clear(c.missing)
	c.returnedCount, c.replacedCount = 0, 0
	if c.cfg.Alarms != nil {
		c.cfg.Alarms.Clear(netview.AlarmControlNetwork, "")
	}
}

// sessionLost notes a lost session. If many were lost at once the control network is suspected, not
// the switches: nothing is removed because of silence then.
func (c *Core) sessionLost(dpid netview.DPID) {
	c.losses = slices.DeleteFunc(c.losses, func(l loss) bool { return l.dpid == dpid || c.now.Sub(l.at) > vanishWithin })
	c.losses = append(c.losses, loss{dpid, c.now})
	if c.controlSuspected() {
		c.missing[dpid] = true
		return
	}
	n := len(c.losses)
	if n < minVanished || n < c.connectedCount {
		return
	}
	c.suspectedSince = c.now
	for _, l := range c.losses {
		c.missing[l.dpid] = true
	}
	if c.cfg.Alarms != nil {
		c.cfg.Alarms.Raise(netview.AlarmControlNetwork, "", fmt.Sprintf(
			"%d of %d switches lost their sessions within %s: what is known of the network is kept", n,
			n+c.connectedCount, vanishWithin))
	}
}

// sessionReturned notes that a switch is back, or that its absence is explained. The suspicion ends
// when nine in ten are back.
func (c *Core) sessionReturned(dpid netview.DPID) {
	c.losses = slices.DeleteFunc(c.losses, func(l loss) bool { return l.dpid == dpid })
	if !c.missing[dpid] {
		return
	}
	delete(c.missing, dpid)
	if c.returnedCount++; len(c.missing)*9 <= c.returnedCount {
		c.endSuspicion()
	}
}
