package flowsync

import "time"

// onMastered begins to write to a switch, or ends. What is in flight then has an unknown fate, and who
// begins does not know what the master before has written: either way the switch is read anew. Meanwhile the
// view took no reports of ours: it has of each rule what the row says.
func (c *Core) onMastered(sw *switchState, in Mastered, now time.Time) {
	if sw.denied == !in.On {
		return
	}
	sw.denied = !in.On
	for _, w := range sw.rows {
		if in.On && w.rule != nil {
			w.reported = ruleStatus{w.rule.State, w.rule.Reason}
		}
	}
	switch {
	case sw.phase == phaseReading && in.On:
		sw.deferredOverflow = true // what is being read may be older
	case sw.phase == phaseReady && (in.On || sw.inflight != nil):
		unanswered, batch := sw.unanswered, sw.batchUnanswered
		c.rereadLater(sw, now)
		sw.unanswered, sw.batchUnanswered, sw.readAt = unanswered, batch, now // the switch owes no answer
	}
}
