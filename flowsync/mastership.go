package flowsync

import "time"

// onMastered begins to write to a switch, or ends. What is in flight then has an unknown fate, and who
// begins does not know what the master before has written: either way the switch is read anew.
func (c *Core) onMastered(sw *switchState, in Mastered, now time.Time) {
	if sw.denied == !in.On {
		return
	}
	sw.denied = !in.On
	switch {
	case sw.phase == phaseReading && in.On:
		sw.deferredOverflow = true // what is being read may be older
	case sw.phase == phaseReady && (in.On || sw.inflight != nil):
		unanswered, batch := sw.unanswered, sw.batchUnanswered
		c.rereadLater(sw, now)
		sw.unanswered, sw.batchUnanswered, sw.readAt = unanswered, batch, now // the switch owes no answer
	}
}
