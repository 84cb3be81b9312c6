package flowsync

import (
	"fmt"

	"github.com/weirnet/weir/netview"
)

// The alarm stuck-switch has one owner, which is this: a switch that answers nothing though its session lives (stick), or whose session was ended because it
// answered nothing or read nothing (Down.Stuck), until it answers, begins another session, or is not known any more.

// stick marks a switch that answers neither barriers nor readings though its session lives. Whoever waits for its rules is
// told that they failed; they are tried all the same, and installed as soon as the switch, or its listing, says so.
func (c *Core) stick(l *ledger) {
	l.stuck = true
	c.alarmStuck(l, fmt.Sprintf("left %d questions in a row unanswered", l.silent))
	for _, key := range l.keys() {
		if w := l.rows[key]; w.rule != nil && w.outcome == pending {
			c.tell(w, c.waiting(l, w))
		}
	}
}

// unstick ends that.
func (c *Core) unstick(l *ledger) {
	c.waitAgain(l)
	c.alarmStuck(l, "")
}

// waitAgain has what failed only because nothing was answered wait again.
func (c *Core) waitAgain(l *ledger) {
	was := c.waiting(l, &row{})
	l.stuck, l.silent = false, 0
	for _, key := range l.keys() {
		if w := l.rows[key]; w.rule != nil && w.outcome == was {
			c.tell(w, pending)
		}
	}
}

// alarmStuck raises the alarm with a text, or ends it with none.
func (c *Core) alarmStuck(l *ledger, text string) {
	switch {
	case text != "":
		c.raise(netview.AlarmStuckSwitch, l.dpid, text)
	case l.alarmed:
		c.clear(netview.AlarmStuckSwitch, l.dpid)
	}
	l.alarmed = text != ""
}

// down ends a session.
func (c *Core) down(l *ledger, in Down) {
	c.forget(l)
	c.alarmStuck(l, in.Stuck)
	if l.drifted {
		l.drifted = false
		c.clear(netview.AlarmDrift, l.dpid)
	}
}
