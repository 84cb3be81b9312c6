package flowsync

import (
	"fmt"

	"github.com/weirnet/weir/netview"
)

// stick marks a switch that answers neither barriers nor readings though its session lives. Whoever waits for its rules is
// told that they failed; they are tried all the same, and installed as soon as the switch, or its listing, says so.
func (c *Core) stick(l *ledger) {
	l.stuck = true
	c.raise(netview.AlarmStuckSwitch, l.dpid, fmt.Sprintf("left %d questions in a row unanswered", l.silent))
	for _, key := range l.keys() {
		if w := l.rows[key]; w.rule != nil && w.outcome == pending {
			c.tell(w, c.waiting(l, w))
		}
	}
}

// unstick ends that. What failed only because nothing was answered waits again.
func (c *Core) unstick(l *ledger) {
	was := c.waiting(l, &row{})
	l.stuck, l.silent = false, 0
	c.clear(netview.AlarmStuckSwitch, l.dpid)
	for _, key := range l.keys() {
		if w := l.rows[key]; w.rule != nil && w.outcome == was {
			c.tell(w, pending)
		}
	}
}
