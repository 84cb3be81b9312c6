package flowsync

import (
	"time"

	"github.com/weirnet/weir/ruleset"
)

// beginListing prepares the rows for a listing.
func (t *compactTable) beginListing() {
	if t == nil {
		return
	}
	t.staleOverflow = 0
	for i := range t.rows {
		r := &t.rows[i]
		r.flags &^= flagChanged | flagListed
		if r.flags&flagInFlight != 0 {
			r.flags |= flagChanged
		}
	}
}

// compareListed compares a part of a listing with the rows. A row with a change since the request
// is only marked as listed: the listing may be older.
func (c *Core) compareListed(sw *switchState, packed *Packed) {
	if packed.Count == 0 {
		return
	}
	if sw.compact == nil {
		sw.compact = &compactTable{}
	}
	t := sw.compact
	for b := packed.bytes; len(b) > 0; {
		var e packedEntry
		e, b = nextPacked(b)
		hash := e.place.hash()
		i, ok := t.find(e.place, hash)
		if !ok {
			sw.trackUnknownAt(&e, hash)
			continue
		}
		r := &t.rows[i]
		switch {
		case r.flags&flagChanged != 0:
			t.set(i, flagListed, 0)
		case e.matches(r.set, r.rule):
			t.set(i, flagListed|flagMayHold|flagVerified, flagOtherOwner)
		case r.flags&(flagDesired|flagInFlight) == 0 && !e.ownedBy(r.set):
			c.reassign(sw, i, &e)
		default:
			t.set(i, flagListed|flagMayHold, flagVerified)
		}
	}
}

// reassign gives a row that is not desired to the other owner whose entry is in its place; no one
// desires that either.
func (c *Core) reassign(sw *switchState, i uint32, e *packedEntry) {
	t := sw.compact
	r := &t.rows[i]
	if r.flags&flagRemovalOrdered != 0 {
		c.outcome(r.set, r.rule, ruleset.Removed)
	}
	r.set, r.rule = e.toSet(sw), 0
	t.set(i, flagListed|flagMayHold, flagRemovalOrdered|flagPruning|flagReported|flagVerified|flagWasConfirmed|flagOtherOwner)
	if !e.notOutputs {
		t.set(i, flagVerified, 0)
	}
	t.clearRetry(i)
	t.schedulePrune(time.Time{})
}

// trackUnknownAt adds a row for an entry that was never ordered.
func (sw *switchState) trackUnknownAt(e *packedEntry, hash uint32) {
	t := sw.compact
	if t.count[classStale] >= staleMax {
		t.staleOverflow++
		return
	}
	i := t.add(e.toSet(sw), 0, hash)
	flags := flagListed | flagMayHold
	if !e.notOutputs {
		flags |= flagVerified
	}
	t.set(i, flags, 0)
	t.schedulePrune(time.Time{})
}

// trackUnknown adds a row for an entry that was never ordered and that a notice reported.
func (sw *switchState) trackUnknown(a place, e *Entry) {
	if sw.compact == nil {
		sw.compact = &compactTable{}
	}
	var keep Packed
	if packed, ok := packEntry(e, sw.singleTable, &keep); ok {
		sw.trackUnknownAt(&packed, a.hash())
		if i, ok := sw.compact.find(a, a.hash()); ok {
			sw.compact.set(i, flagChanged, 0)
		}
	}
}

// schedulePrune schedules the removal of stale rows, not before a time.
func (t *compactTable) schedulePrune(at time.Time) {
	t.pruneDue = true
	if at.After(t.pruneAt) {
		t.pruneAt = at
	}
}

// compareCompact ends a reading during which nothing was written.
func (c *Core) compareCompact(sw *switchState) {
	t := sw.compact
	if t == nil {
		return
	}
	t.queue = t.queue[:0]
	for n := range t.rows {
		i := uint32(n)
		r := &t.rows[i]
		if r.set == nil {
			continue
		}
		r.flags &^= flagQueued
		switch {
		case r.flags&flagListed == 0:
			t.setMayHold(i, false)
		case r.flags&flagChanged != 0: // a notice about the place came meanwhile: it is written again
			t.setMayHold(i, true)
		}
		if r.flags&flagVerified == 0 {
			c.reportLost(sw, i)
		}
		switch {
		case r.flags&flagDesired != 0 && r.flags&flagVerified != 0:
			c.reportInstalled(sw, i)
		case r.flags&(flagDesired|flagRemovalOrdered|flagPruning) != 0:
			if r.flags&(flagMayHold|flagDesired) == 0 {
				c.endRemoved(sw, i)
			} else {
				sw.enqueueCompact(i)
			}
		case r.flags&flagMayHold == 0:
			t.drop(i)
		default:
			t.schedulePrune(time.Time{})
		}
	}
}

// pruneCompact queues the removal of stale entries when it is due.
func (c *Core) pruneCompact(sw *switchState, now time.Time) {
	t := sw.compact
	switch {
	case t == nil:
		return
	case t.staleOverflow > 0 && t.count[classStale] == 0:
		t.staleOverflow = 0
		sw.scheduleAudit(now)
	case !t.pruneDue:
		return
	case now.Before(t.pruneAt):
		c.wakeAt(sw, t.pruneAt)
		return
	}
	t.pruneDue, t.pruneAt = false, time.Time{}
	for n := range t.rows {
		i := uint32(n)
		if f := t.rows[i].flags; f.class() == classStale && f&flagPruning == 0 {
			t.set(i, flagPruning, 0)
			sw.enqueueCompact(i)
		}
	}
}

// resetCompact ends a session.
func (sw *switchState) resetCompact() {
	t := sw.compact
	if t == nil {
		return
	}
	t.queue, t.retries, t.retryAt, t.staleOverflow = nil, nil, time.Time{}, 0
	t.inflight = compactBatch{}
	for i := range t.failures {
		t.clearRetry(i)
	}
	for n := range t.rows {
		i := uint32(n)
		if t.rows[i].set == nil {
			continue
		}
		t.set(i, 0, flagVerified|flagQueued|flagInFlight|flagAdding|flagChanged|flagListed|flagPruning|flagMayHold)
		if t.rows[i].flags&(flagDesired|flagRemovalOrdered) == 0 {
			t.drop(i)
		}
	}
	if t.rowCount() == 0 {
		sw.compact = nil
	}
}

// releaseCompact ends the removals at a switch that is neither in the view nor connected.
func (c *Core) releaseCompact(sw *switchState) {
	t := sw.compact
	if t == nil {
		return
	}
	for n := range t.rows {
		if t.count[classRemoving] == 0 {
			break
		}
		if t.rows[n].flags&flagRemovalOrdered != 0 {
			c.endRemoved(sw, uint32(n))
		}
	}
	if t.rowCount() == 0 {
		sw.compact = nil
	}
}

// dropUnused drops rows that were kept only until the audit ends.
func (t *compactTable) dropUnused() {
	if t == nil {
		return
	}
	for n := range t.rows {
		if r := &t.rows[n]; r.set != nil && r.flags.class() == classNone {
			t.drop(uint32(n))
		}
	}
}

// auditCompact ends an audit: it compares the rows that did not change during it.
func (c *Core) auditCompact(sw *switchState, f *Findings, now time.Time) {
	t := sw.compact
	if t == nil {
		return
	}
	for n := range t.rows {
		i := uint32(n)
		r := &t.rows[i]
		if r.set == nil {
			continue
		}
		if r.flags.class() == classNone {
			t.drop(i)
			continue
		}
		if r.flags.class() != classStale {
			f.Desired++
			if r.flags&(flagChanged|flagQueued|flagInFlight) != 0 {
				f.InFlight++
				continue
			}
			f.Compared++
		}
		c.auditCompactRow(sw, i, f, now)
	}
}

// auditCompactRow draws the conclusions from an audit for one row; compareListed has set its flags
// if it was listed.
func (c *Core) auditCompactRow(sw *switchState, i uint32, f *Findings, now time.Time) {
	t := sw.compact
	r := &t.rows[i]
	if r.flags&(flagChanged|flagQueued|flagInFlight) != 0 {
		return
	}
	was := r.flags & (flagVerified | flagReported)
	if r.flags&flagListed == 0 {
		t.setMayHold(i, false)
	}
	switch {
	case r.flags&flagDesired == 0 && r.flags&flagMayHold == 0:
		c.endRemoved(sw, i)
	case r.flags&flagDesired == 0:
		f.extraCompact(c, sw, i)
	case r.flags&flagVerified != 0:
		if failed := t.failures[i]; failed != nil && !sw.lying && now.Sub(failed.lostSince) > c.config.LieWindow {
			failed.losses = 0
		}
		c.reportInstalled(sw, i)
	case was != 0:
		f.addCompact(c, sw, i)
		if failed := t.failures[i]; failed == nil || failed.retryAt.IsZero() {
			c.driftCompact(sw, i, SourceReading, now)
		}
	default:
		if failed := t.failures[i]; failed == nil || failed.retryAt.IsZero() {
			sw.enqueueCompact(i)
		}
	}
}

// addCompact adds a rule of a rule set that is missing or changed.
func (f *Findings) addCompact(c *Core, sw *switchState, i uint32) {
	rule, held := c.renderRow(sw, i), ""
	if sw.compact.rows[i].flags&flagMayHold != 0 {
		held = "something else"
	} else if e := sw.foreign[sw.compact.rows[i].place().key(rule.Table)]; e != nil {
		held = describe(e.Cookie, e.Instructions)
	}
	f.addMissing(rule, rule.Instructions, held)
}

// extraCompact adds a stale entry of an owner of rule sets. An entry whose removal was ordered is
// no difference.
func (f *Findings) extraCompact(c *Core, sw *switchState, i uint32) {
	if sw.compact.rows[i].flags&flagRemovalOrdered != 0 {
		return
	}
	rule := c.renderRow(sw, i)
	f.Differences = append(f.Differences, Difference{
		Kind: DifferenceExtra, Table: rule.Table, Priority: rule.Priority, Match: rule.Match,
		Held: describe(rule.Cookie, rule.Instructions),
	})
}
