package flowsync

import (
	"maps"
	"time"

	"github.com/weirnet/weir/netview"
)

// audit is a reading of a switch while writing to it continues. Places written to between request
// and answer are not compared: the listing may have been made before or after.
type audit struct {
	id          uint64 // of the request; 0 if none is in flight
	startSeq    uint64 // switchState.changeSeq at the request
	requestedAt time.Time
	deadline    time.Time         // timeout
	removed     map[entryKey]bool // entries removed since the request
}

// scheduleAudit schedules an audit for t at the latest.
func (sw *switchState) scheduleAudit(t time.Time) {
	if sw.auditAt.IsZero() || t.Before(sw.auditAt) {
		sw.auditAt = t
	}
}

// markChanged records a message about a row's place.
func (c *Core) markChanged(sw *switchState, w *row) {
	sw.changeSeq++
	w.changedAt = sw.changeSeq
}

// beginAudit requests the switch's entries.
func (c *Core) beginAudit(sw *switchState, now time.Time) {
	sw.auditAt = time.Time{}
	sw.audit = audit{id: c.requestListing(sw), startSeq: sw.changeSeq, requestedAt: now, deadline: now.Add(c.config.Answer),
		removed: make(map[entryKey]bool)}
	sw.checkRunning, sw.checkRequested = sw.checkRequested, false
}

// endAudit compares the listing with what the switch is known to hold, and repairs differences.
func (c *Core) endAudit(sw *switchState, in Entries, now time.Time) {
	a := sw.audit
	sw.audit, sw.readTook = audit{}, now.Sub(a.requestedAt)
	if in.Err != nil {
		sw.failedReads++
		sw.compact.dropUnused()
		sw.scheduleAudit(now.Add(c.config.backoff(sw.failedReads)))
		c.endCheck(sw, Findings{Err: in.Err})
		return
	}
	sw.failedReads = 0
	c.updateReadCost(sw, in.Cost)
	f := Findings{}
	rows := sortedKeys(sw.rows)
	c.setListedBytes(sw, in.Reading.size())
	sw.indexReading(&in.Reading)
	for _, key := range rows {
		w := sw.rows[key]
		e := sw.stale[key]
		delete(sw.stale, key)
		delete(sw.soft, key)
		f.Desired++
		if w.changedAt > a.startSeq || w.state != rowIdle {
			f.InFlight++
			continue
		}
		f.Compared++
		c.auditRow(sw, w, e, &f, now)
	}
	c.compareListed(sw, &in.Reading.Compact)
	c.auditCompact(sw, &f, now)
	maps.DeleteFunc(sw.stale, func(key entryKey, _ *Entry) bool { return a.removed[key] })
	maps.DeleteFunc(sw.soft, func(key entryKey, _ *SoftEntry) bool { return a.removed[key] })
	c.removeBrokenSoft(sw)
	if sw.resyncDue = sw.resyncDue && f.InFlight > 0; sw.resyncDue { // some were not compared, and no notice will come
		sw.scheduleAudit(now.Add(c.config.RetryFirst))
	}
	f.extra(sw.stale)
	f.Foreign = len(sw.foreign) + sw.foreignOverflow
	if sw.checkRunning {
		f.Shadows, f.Shadowed = sw.shadows(ShadowsMax)
	}
	c.endCheck(sw, f)
	c.scheduleRegularAudit(sw, now, false)
}

// auditRow compares one row with the entry that the switch holds in its place. Nothing is in flight
// for the row.
func (c *Core) auditRow(sw *switchState, w *row, e *Entry, f *Findings, now time.Time) {
	other := sw.foreign[w.key]
	if w.rule == nil { // a removal that waits for its retry
		if w.mayHold = e != nil; !w.mayHold {
			sw.enqueue(w)
		}
		return
	}
	was := w.contentKnown
	if w.mayHold, w.contentKnown, w.content = false, false, (content{}); e != nil {
		w.setHeld(e)
	}
	held := c.holds(sw, w, sw.instructionsOf(w))
	switch {
	case held && w.status.state != netview.RuleInstalled:
		c.installed(sw, w, w.rule, sw.instructionsOf(w))
	case held:
		if !sw.lying {
			w.losses = w.lossesAfter(now, c.config.LieWindow)
		}
	case was || w.status.state == netview.RuleInstalled:
		f.add(sw, w, e, other)
		if w.retryAt.IsZero() {
			c.drift(sw, w, SourceReading, now)
		}
	case w.blockedByForeign && other == nil:
		sw.enqueue(w)
	case w.status.state == netview.RuleFailed:
		f.Failed++
	}
}

// lossesAfter returns the number of losses within the window.
func (w *row) lossesAfter(now time.Time, window time.Duration) int {
	if now.Sub(w.lostSince) > window {
		return 0
	}
	return w.losses
}
