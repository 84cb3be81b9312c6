package discovery

import (
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

const (
	vanishWithin = 10 * time.Second // of each other: sessions lost in that time are lost at once
	suspectMost  = time.Hour        // a suspicion ends after that
	vanishLeast  = 3                // switches, and half of those that were connected: it is the control network
)

// loss is a session that was lost.
type loss struct {
	dpid netview.DPID
	at   time.Time
}

// suspects is true while the control network is suspected: many switches vanished at once, and are not back.
func (c *Core) suspects() bool { return len(c.away) > 0 }

// waitNoMore ends a suspicion that has lasted for too long: those that are away will not come back.
func (c *Core) waitNoMore() {
	if c.suspects() && c.now.Sub(c.suspected) >= suspectMost {
		c.trust()
	}
}

// trust ends the suspicion.
func (c *Core) trust() {
	clear(c.away)
	c.back, c.swaps = 0, 0
	if c.cfg.Alarms != nil {
		c.cfg.Alarms.Clear(netview.AlarmControlNetwork, "")
	}
}

// vanished notes a lost session. If many were lost at once it is the control network that is suspected, not the switches:
// nothing that is known goes for silence then.
func (c *Core) vanished(dpid netview.DPID) {
	c.losses = slices.DeleteFunc(c.losses, func(l loss) bool { return l.dpid == dpid || c.now.Sub(l.at) > vanishWithin })
	c.losses = append(c.losses, loss{dpid, c.now})
	if c.suspects() {
		c.away[dpid] = true
		return
	}
	n := len(c.losses)
	if n < vanishLeast || n < c.ready {
		return
	}
	c.suspected = c.now
	for _, l := range c.losses {
		c.away[l.dpid] = true
	}
	if c.cfg.Alarms != nil {
		c.cfg.Alarms.Raise(netview.AlarmControlNetwork, "", fmt.Sprintf(
			"%d of %d switches lost their sessions within %s: what is known of the network is kept", n, n+c.ready, vanishWithin))
	}
}

// returned notes that a switch is back, or will not come back. The suspicion ends with nine in ten.
func (c *Core) returned(dpid netview.DPID) {
	c.losses = slices.DeleteFunc(c.losses, func(l loss) bool { return l.dpid == dpid })
	if !c.away[dpid] {
		return
	}
	delete(c.away, dpid)
	if c.back++; len(c.away)*9 <= c.back {
		c.trust()
	}
}
