package flowsync

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Watch is how changes by others are detected. In any mode a switch reports the removal of firm
// entries of ours (flow-removed), if it follows OpenFlow.
type Watch uint8

// The ways of watching a switch.
const (
	WatchReading Watch = iota // regular readings
	WatchAsked                // the request for a flow monitor is in flight
	WatchMonitor              // the flow monitor reports all changes
	WatchPaused               // the flow monitor has fallen behind and omits changes
)

// String is "reading", "asked", "monitor" or "paused".
func (w Watch) String() string { return [...]string{"reading", "asked", "monitor", "paused"}[w] }

// Change is one change that a switch's flow monitor reports.
type Change struct {
	Event openflow.FlowEvent // not FlowAbbreviated: those are our own changes
	Entry Entry
	Match string // Match.Key of the entry
}

func (ch *Change) key() entryKey { return entryKey{ch.Entry.Table, ch.Entry.Priority, ch.Match} }

// onMonitoring handles the answer to the request for a flow monitor.
func (c *Core) onMonitoring(sw *switchState, in MonitorAnswer, now time.Time) {
	if sw.watch != WatchAsked {
		return
	}
	sw.watch = WatchMonitor
	if in.Err != nil {
		sw.watch = WatchReading
		c.scheduleRegularAudit(sw, now, true)
	}
}

// onPaused handles a pause of the flow monitor, or its end: then the switch is read, so that
// nothing depends on the changes between.
func (c *Core) onPaused(sw *switchState, in Paused, now time.Time) {
	switch {
	case sw.watch != WatchMonitor && sw.watch != WatchPaused:
	case in.On:
		sw.watch = WatchPaused
	default:
		sw.watch, sw.resyncDue = WatchMonitor, true
		sw.scheduleAudit(now)
	}
}

// onChanged handles changes that the flow monitor reports. During a reading they are deferred.
func (c *Core) onChanged(sw *switchState, in Changed, now time.Time) {
	if sw.phase == phaseReading {
		for i := range in.Changes {
			e := &in.Changes[i].Entry
			if sw.deferredBytes += entrySize(&e.Match, e.Instructions); sw.deferredBytes > deferredMax {
				sw.deferredOverflow = true
				break
			}
			sw.deferred = append(sw.deferred, in.Changes[i])
		}
		return
	}
	for i := range in.Changes {
		c.applyChange(sw, &in.Changes[i], now)
	}
}

// applyDeferred applies the changes that came during a reading.
func (c *Core) applyDeferred(sw *switchState, now time.Time) {
	late := sw.deferred
	sw.deferred, sw.deferredBytes = nil, 0
	for i := range late {
		c.applyChange(sw, &late[i], now)
	}
	if sw.deferredOverflow {
		sw.deferredOverflow, sw.resyncDue = false, true
		sw.scheduleAudit(now)
	}
}

// applyChange applies one change: it records a foreign entry, or repairs a rule in whose place it
// is.
func (c *Core) applyChange(sw *switchState, ch *Change, now time.Time) {
	foreign := plan.Foreign(ch.Entry.Cookie, c.config.Domain)
	soft := !foreign && plan.Decode(ch.Entry.Cookie).Kind.Soft()
	key, gone := ch.key(), ch.Event == openflow.FlowDeleted
	if foreign {
		sw.noteForeign(key, ch, c.config.ForeignMax)
	} else {
		sw.markShadowsDirty()
		delete(sw.foreign, key)
		key = sw.ourKey(key)
	}
	if c.applyCompactChange(sw, key, ch, now) {
		return
	}
	w := sw.rows[sw.ourKey(key)]
	switch {
	case w != nil && w.rule != nil && gone:
		c.entryRemoved(sw, w, foreign, SourceMonitor, now)
	case w != nil && w.rule != nil:
		c.entryChanged(sw, w, &ch.Entry, now)
	case w != nil: // being removed
		w.mayHold = w.mayHold || !gone
		sw.scheduleAudit(now.Add(c.config.RetryFirst))
	case foreign:
	case gone:
		delete(sw.stale, key)
		delete(sw.soft, key)
	case !soft:
		e := ch.Entry
		sw.stale[key] = &e
	}
}

// noteForeign updates the foreign entries.
func (sw *switchState) noteForeign(key entryKey, ch *Change, most int) {
	_, known := sw.foreign[key]
	sw.shadowsDirty = true
	switch {
	case ch.Event == openflow.FlowDeleted && known:
		delete(sw.foreign, key)
	case ch.Event == openflow.FlowDeleted:
		sw.foreignOverflow = max(0, sw.foreignOverflow-1)
	case known || len(sw.foreign) < most:
		e := ch.Entry
		e.Instructions = nil
		sw.foreign[key] = &e
	case ch.Event == openflow.FlowAdded:
		sw.foreignOverflow++
	}
}

// entryRemoved handles a notice that an entry in the place of a desired rule is gone; ofOthers: it
// was foreign.
func (c *Core) entryRemoved(sw *switchState, w *row, ofOthers bool, s Source, now time.Time) {
	switch {
	case w.state == rowInFlight:
		sw.inflight.markLost(w, s)
	case w.contentKnown && !(ofOthers && c.holds(sw, w, sw.instructionsOf(w))):
		w.mayHold, w.contentKnown, w.content = false, false, content{}
		c.drift(sw, w, s, now)
	case ofOthers && w.blockedByForeign:
		sw.enqueue(w)
	}
}

// entryChanged handles a notice that an entry in the place of a desired rule was added or changed.
func (c *Core) entryChanged(sw *switchState, w *row, e *Entry, now time.Time) {
	if w.state == rowInFlight {
		if !sw.inflight.adds(w, content{e.Cookie, e.Instructions}) {
			sw.inflight.markLost(w, SourceMonitor)
		}
		return
	}
	was := w.contentKnown
	w.setHeld(e)
	switch {
	case c.holds(sw, w, sw.instructionsOf(w)):
		if w.status.state != netview.RuleInstalled {
			sw.enqueue(w)
		}
	case was || w.status.state == netview.RuleInstalled:
		c.drift(sw, w, SourceMonitor, now)
	}
}

// adds reports whether an entry that the switch reports is the one that the batch adds.
func (f *inflightBatch) adds(w *row, told content) bool {
	for i := range f.ops {
		if o := &f.ops[i]; o.row == w && o.rule != nil {
			return content{o.rule.Cookie, o.instructions}.same(told)
		}
	}
	return false
}
