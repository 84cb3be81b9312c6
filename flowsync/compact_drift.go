package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// failureOf returns a row's failure record, made if it had none.
func (t *compactTable) failureOf(i uint32) *failure {
	failed := t.failures[i]
	if failed == nil {
		if t.failures == nil {
			t.failures = make(map[uint32]*failure)
		}
		failed = &failure{}
		t.failures[i] = failed
	}
	return failed
}

// scheduleRetry schedules a retry of a row.
func (t *compactTable) scheduleRetry(i uint32, failed *failure, at time.Time) {
	if failed.retryAt.IsZero() {
		t.retries = append(t.retries, i)
	}
	if failed.retryAt = at; t.retryAt.IsZero() || at.Before(t.retryAt) {
		t.retryAt = at
	}
}

// retryDueCompact queues the rows whose backoff has ended.
func (c *Core) retryDueCompact(sw *switchState, now time.Time) {
	t := sw.compact
	if t == nil || !reached(t.retryAt, now) {
		return
	}
	kept := t.retries[:0]
	t.retryAt = time.Time{}
	for _, i := range t.retries {
		failed := t.failures[i]
		switch {
		case failed == nil || failed.retryAt.IsZero(): // changed or settled since
		case failed.retryAt.After(now):
			kept = append(kept, i)
			if t.retryAt.IsZero() || failed.retryAt.Before(t.retryAt) {
				t.retryAt = failed.retryAt
			}
		default:
			failed.retryAt = time.Time{}
			c.counters.Retries++
			sw.enqueueCompact(i)
		}
	}
	t.retries = kept
}

// driftCompact is drift for compact rows.
func (c *Core) driftCompact(sw *switchState, i uint32, s Source, now time.Time) {
	t := sw.compact
	r := &t.rows[i]
	c.counters.Repairs++
	c.counters.Drift[s]++
	t.lostInStep++
	t.lostBy = s
	failed := t.failureOf(i)
	if failed.losses == 0 || !sw.lying && now.Sub(failed.lostSince) > c.config.LieWindow {
		failed.losses, failed.lostSince = 0, now
	}
	failed.losses++
	c.reportLost(sw, i)
	t.set(i, flagChanged, flagVerified)
	if failed.losses >= c.config.LieCount {
		c.markLying(sw, sw.nameOf(r), failed.losses, failed.lostSince, now)
	}
	pause := c.lossBackoff(sw, failed.losses)
	if s == SourceReading { // only a reading can show that it is held this time
		sw.scheduleAudit(now.Add(pause + c.config.RetryFirst))
	}
	switch {
	case r.flags&(flagQueued|flagInFlight) != 0:
	case pause > 0:
		t.scheduleRetry(i, failed, now.Add(pause))
	default:
		sw.enqueueCompact(i)
	}
}

// reportLost reports that a rule is not installed any more, if it was reported installed.
func (c *Core) reportLost(sw *switchState, i uint32) {
	if r := &sw.compact.rows[i]; r.flags&flagReported != 0 {
		c.outcome(r.set, r.rule, ruleset.Lost)
		sw.compact.set(i, 0, flagReported)
	}
}

// nameOf returns a row's place, for people.
func (sw *switchState) nameOf(r *compactRow) string {
	rule := r.set.Rule(int(r.rule), 0, sw.singleTable)
	return fmt.Sprintf("%s: table=%d priority=%d match=%s", ownerOf(r.set), rule.Table, rule.Priority, rule.Match.String())
}

// alarmLost raises the alarm drift for the rows lost in this step.
func (c *Core) alarmLost(sw *switchState) {
	if t := sw.compact; t != nil && t.lostInStep > 0 {
		c.raiseDriftAlarm(sw, fmt.Sprintf("%d rules of intents were lost or changed: they are put back (noticed by %s)",
			t.lostInStep, t.lostBy))
		t.lostInStep = 0
	}
}

// needsReadingCompact is needsReading for compact rows.
func (c *Core) needsReadingCompact(sw *switchState, i uint32) bool {
	if !sw.lying {
		return false
	}
	t := sw.compact.failures[i]
	return t != nil && t.losses >= c.config.LieCount
}

// unconfirmedCompact is unconfirmedStatus for compact rows.
func (c *Core) unconfirmedCompact(sw *switchState, i uint32) ruleStatus {
	switch {
	case sw.stuck:
		return ruleStatus{netview.RuleFailed, netview.ReasonUnanswered}
	case c.needsReadingCompact(sw, i):
		return ruleStatus{netview.RuleFailed,
			fmt.Sprintf("%s: lost %d times", netview.ReasonNotKept, sw.compact.failures[i].losses)}
	}
	return pending
}

// compactRemoved handles a notice that the entry in a row's place is gone; ofOthers: it was
// foreign.
func (c *Core) compactRemoved(sw *switchState, i uint32, ofOthers bool, s Source, now time.Time) {
	t := sw.compact
	r := &t.rows[i]
	t.set(i, flagChanged, 0)
	switch {
	case r.flags&flagInFlight != 0:
		t.markLost(i, s)
	case ofOthers && r.flags&flagVerified != 0: // our entry replaced it
	case r.flags&flagDesired == 0 && r.flags&flagMayHold != 0 && !ofOthers:
		t.setMayHold(i, false)
		if r.flags&flagQueued == 0 {
			c.endRemoved(sw, i)
		}
	case r.flags&(flagDesired|flagVerified) == flagDesired|flagVerified:
		t.setMayHold(i, false)
		c.driftCompact(sw, i, s, now)
	case r.flags&flagDesired != 0:
		t.setMayHold(i, false)
		sw.enqueueCompact(i)
	}
}

// compactChanged handles a notice that an entry in a row's place was added or changed.
func (c *Core) compactChanged(sw *switchState, i uint32, e *Entry, now time.Time) {
	t := sw.compact
	r := &t.rows[i]
	t.set(i, flagChanged, 0)
	foreign := plan.Foreign(e.Cookie, c.config.Domain)
	if r.flags&flagInFlight != 0 {
		if o := t.inflight.adding(i); o != nil && (foreign || !entryIs(sw.singleTable, o.set, o.rule, e)) {
			t.markLost(i, SourceMonitor)
		}
		return
	}
	switch is := !foreign && entryIs(sw.singleTable, r.set, r.rule, e); {
	case r.flags&flagDesired == 0 && foreign: // our entry is gone
		t.setMayHold(i, false)
		sw.enqueueCompact(i)
	case r.flags&flagDesired == 0:
		t.setMayHold(i, true)
		if r.flags&(flagRemovalOrdered|flagPruning) != 0 {
			sw.enqueueCompact(i)
		}
	case is:
		t.set(i, flagMayHold|flagVerified, 0)
		if r.flags&flagReported == 0 {
			sw.enqueueCompact(i)
		}
	case r.flags&(flagVerified|flagReported) != 0:
		t.set(i, flagMayHold, flagVerified)
		c.driftCompact(sw, i, SourceMonitor, now)
	default:
		t.set(i, flagMayHold, flagVerified)
	}
}

// onRemovedPacked handles flow-removed messages, most of which follow from our own removals.
func (c *Core) onRemovedPacked(sw *switchState, packed *Packed, now time.Time) {
	for b := packed.bytes; len(b) > 0 && sw.compact != nil; {
		var e packedEntry
		e, b = nextPacked(b)
		if i, ok := sw.compact.find(e.place, e.place.hash()); ok {
			c.onCompactRemoved(sw, i, now)
		}
	}
}

// onCompactRemoved handles a flow-removed message for a row's place.
func (c *Core) onCompactRemoved(sw *switchState, i uint32, now time.Time) {
	switch {
	case sw.phase == phaseReading: // the listing may have been made before
		sw.compact.set(i, flagChanged, 0)
		c.reportLost(sw, i)
	case sw.watch == WatchMonitor: // which reports it too, in order with our own changes
	default:
		c.compactRemoved(sw, i, false, SourceRemoved, now)
	}
}

// adding returns the flow-mod in flight that adds a row's rule, nil if there is none.
func (f *compactBatch) adding(row uint32) *compactOp {
	for i := range f.ops {
		if o := &f.ops[i]; o.row == row && o.adds {
			return o
		}
	}
	return nil
}

// rowAt returns the row in the place that a key names; false if there is none.
func (sw *switchState) rowAt(key entryKey) (uint32, bool) {
	if sw.compact == nil {
		return 0, false
	}
	a, ok := sw.placeIn(key)
	if !ok {
		return 0, false
	}
	return sw.compact.find(a, a.hash())
}

// applyCompactChange handles a change that the flow monitor reports, if it is in the place of a
// rule of a rule set or of a kind that rule sets use; otherwise it returns false.
func (c *Core) applyCompactChange(sw *switchState, key entryKey, ch *Change, now time.Time) bool {
	foreign, gone := plan.Foreign(ch.Entry.Cookie, c.config.Domain), ch.Event == openflow.FlowDeleted
	i, ok := sw.rowAt(key)
	switch {
	case ok && gone:
		c.compactRemoved(sw, i, foreign, SourceMonitor, now)
	case ok:
		c.compactChanged(sw, i, &ch.Entry, now)
	case foreign || gone || plan.Decode(ch.Entry.Cookie).Kind != plan.KindIntent:
		return false
	default:
		a, placed := sw.placeIn(key)
		if placed {
			sw.trackUnknown(a, &ch.Entry)
		}
		return placed
	}
	return true
}
