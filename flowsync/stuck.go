package flowsync

import (
	"fmt"

	"github.com/weirnet/weir/netview"
)

// The alarm stuck-switch is raised here only: for a switch that answers nothing though its session
// is alive (markStuck), or whose session was ended for that (Down.Stuck), until it answers, begins
// another session, or is released.

// markStuck marks a switch that answers neither barriers nor readings though its session is alive.
// Its pending rules are reported as failed; they are sent all the same, and installed as soon as
// the switch, or its listing, confirms them.
func (c *Core) markStuck(sw *switchState) {
	sw.stuck = true
	c.setStuckAlarm(sw, fmt.Sprintf("left %d questions in a row unanswered", sw.unanswered))
	for _, key := range sortedKeys(sw.rows) {
		if w := sw.rows[key]; w.rule != nil && w.status == pending {
			c.report(w, c.unconfirmedStatus(sw, w))
		}
	}
}

// clearStuck removes the mark.
func (c *Core) clearStuck(sw *switchState) {
	c.revertUnanswered(sw)
	c.setStuckAlarm(sw, "")
}

// revertUnanswered makes the rules pending again that failed only because the switch did not
// answer.
func (c *Core) revertUnanswered(sw *switchState) {
	was := c.unconfirmedStatus(sw, &row{})
	sw.stuck, sw.unanswered = false, 0
	for _, key := range sortedKeys(sw.rows) {
		if w := sw.rows[key]; w.rule != nil && w.status == was {
			c.report(w, pending)
		}
	}
}

// setStuckAlarm raises the alarm with a text, or clears it if text is empty.
func (c *Core) setStuckAlarm(sw *switchState, text string) {
	switch {
	case text != "":
		c.raise(netview.AlarmStuckSwitch, sw.dpid, text)
	case sw.stuckAlarm:
		c.clear(netview.AlarmStuckSwitch, sw.dpid)
	}
	sw.stuckAlarm = text != ""
}

// onDown ends a session.
func (c *Core) onDown(sw *switchState, in Down) {
	c.resetSession(sw)
	c.setStuckAlarm(sw, in.Stuck)
	if sw.driftAlarm {
		sw.driftAlarm = false
		c.clear(netview.AlarmDrift, sw.dpid)
	}
}
