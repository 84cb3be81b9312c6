package flowsync

import (
	"fmt"
	"time"

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
	Event    openflow.FlowEvent // not FlowAbbreviated: those are our own changes
	Entry    Entry
	Match    string // Match.Key of the entry
	TimedOut bool   // FlowDeleted by a time-out
}

func (ch *Change) key() entryKey { return entryKey{ch.Entry.Table, ch.Entry.Priority, ch.Match} }

// notices are what a switch reports of its entries unasked, by flow-removed messages and its flow monitor. Changes
// that come during a reading wait for its end, and what is omitted or lost is made up for by an audit that compares
// every row once.
type notices struct {
	*session
	reading *reading
	soft    *softEntries
	foreign *foreignEntries
	batch   *batcher
	listing *ruleListing

	deferred      []Change // reported during a reading
	deferredBytes int      // size of deferred, and of the first change that did not fit
	overflow      bool     // changes were dropped for deferredMax
	resyncDue     bool     // changes were omitted: every row has to be compared once
}

// reset ends a session.
func (n *notices) reset() {
	n.deferred, n.deferredBytes, n.overflow, n.resyncDue = nil, 0, false, false
}

// onAnswer handles the answer to the request for a flow monitor.
func (n *notices) onAnswer(in MonitorAnswer, now time.Time) {
	if n.watch != WatchAsked {
		return
	}
	n.watch = WatchMonitor
	if in.Err != nil {
		n.watch = WatchReading
		n.reading.scheduleRegular(now, true)
	}
}

// onPaused handles a pause of the flow monitor, or its end: then the switch is read, so that
// nothing depends on the changes between.
func (n *notices) onPaused(in Paused, now time.Time) {
	switch {
	case n.watch != WatchMonitor && n.watch != WatchPaused:
	case in.On:
		n.watch = WatchPaused
	default:
		n.watch, n.resyncDue = WatchMonitor, true
		n.reading.scheduleAudit(now)
	}
}

// onMissed schedules a reading, since notices were lost. The batch in flight may have been refused
// without a notice: its barrier reply proves nothing.
func (n *notices) onMissed(now time.Time) {
	n.counters.Overflows++
	n.raiseLimit("limits.switch_news",
		fmt.Sprintf("switch %s tells of errors and of entries faster than they are taken: it is read instead", n.dpid))
	if n.phase == phaseReading {
		n.overflow = true
		return
	}
	if n.batch.inflight != nil {
		n.batch.inflight.errorsDropped = true
	}
	if n.batch.behind != nil {
		n.batch.behind.errorsDropped = true
	}
	if n.watch == WatchPaused { // the notice that it resumed may be lost too
		n.watch = WatchMonitor
	}
	n.resyncDue = true
	n.reading.scheduleAudit(now.Add(n.config.RetryFirst))
}

// afterReading applies the changes that came during a reading, and schedules an audit if some were dropped.
func (n *notices) afterReading(now time.Time) {
	late := n.deferred
	n.deferred, n.deferredBytes = nil, 0
	n.onChanged(late, now)
	if n.overflow {
		n.overflow, n.resyncDue = false, true
		n.reading.scheduleAudit(now)
	}
}

// afterAudit schedules another audit if rows have to be compared that this one did not: no notice will come.
func (n *notices) afterAudit(whole bool, now time.Time) {
	if n.resyncDue = n.resyncDue && !whole; n.resyncDue {
		n.reading.scheduleAudit(now.Add(n.config.RetryFirst))
	}
}

// onChanged handles changes that the flow monitor reports. During a reading they are deferred.
func (n *notices) onChanged(list []Change, now time.Time) {
	for i := range list {
		ch := &list[i]
		if n.phase != phaseReading {
			n.apply(ch, now)
			continue
		}
		if n.deferredBytes += entrySize(&ch.Entry.Match, ch.Entry.Instructions); n.deferredBytes > deferredMax {
			n.overflow = true
			break
		}
		n.deferred = append(n.deferred, *ch)
		if i, ok := n.listing.rowAt(n.ourKey(ch.key())); ok && !ch.TimedOut {
			n.listing.mortals.lose(i) // unless it is listed later
		}
	}
}

// apply applies one change: it records a foreign entry, or repairs a rule in whose place it
// is.
func (n *notices) apply(ch *Change, now time.Time) {
	foreign := plan.Foreign(ch.Entry.Cookie, n.config.Domain)
	key, gone := ch.key(), ch.Event == openflow.FlowDeleted
	if foreign {
		n.foreign.note(key, ch)
	} else {
		n.foreign.markDirty()
		n.foreign.displaced(key)
	}
	key = n.ourKey(key)
	switch i, ok := n.listing.rowAt(key); {
	case ok && gone && ch.TimedOut && n.listing.timedOut(i, ch.Entry.Cookie, nil, now):
	case ok && gone:
		n.listing.removed(i, foreign, SourceMonitor, now)
	case ok:
		n.listing.changed(i, &ch.Entry, now)
	case foreign:
	case gone:
		n.soft.take(key)
	case !plan.Decode(ch.Entry.Cookie).Kind.Soft():
		n.listing.track(key, &ch.Entry, now)
	}
}

// onRemoved handles a flow-removed message. A firm entry that is desired is put back.
func (n *notices) onRemoved(in Removed, now time.Time) {
	if plan.Foreign(in.Cookie, n.config.Domain) {
		return
	}
	key := n.ourKey(entryKey{in.Table, in.Priority, in.Match})
	n.soft.take(key)
	i, ok := n.listing.rowAt(key)
	switch {
	case !ok:
	case in.Last != nil && n.listing.timedOut(i, in.Cookie, in.Last, now):
	default:
		n.listing.flowRemoved(i, now)
	}
}
