package flowsync

import (
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
)

// onUp begins a session: the switch is read before anything is sent.
func (c *Core) onUp(sw *switchState, in Up, now time.Time) {
	c.resetSession(sw)
	c.setStuckAlarm(sw, "")
	sw.epoch, sw.version = in.Epoch, in.Version
	sw.batchSize, sw.barrierTime = min(batchFirst, c.config.BatchMax), 0
	sw.watch = WatchReading
	if !c.config.NoMonitor {
		sw.watch = WatchAsked
		c.ready.Monitors = append(c.ready.Monitors, Address{sw.dpid, sw.epoch})
	}
	sw.singleTable = plan.SingleTable(in.Version, in.Tables)
	sw.cookieMasks = c.codec.hasCookieMasks(in.Version)
	sw.unanswered, sw.failedReads = 0, 0
	for _, key := range sortedKeys(sw.rows) {
		sw.rows[key].supportChecked = false
	}
	c.ready.Infrastructure = append(c.ready.Infrastructure,
		sw.infrastructure.desire(sw.dpid, c.config.Domain, in.Version, in.Tables))
	c.startReading(sw, now)
}

// resetSession ends a session: the fate of messages in flight is unknown. Rules that were installed
// remain installed.
func (c *Core) resetSession(sw *switchState) {
	sw.phase, sw.wasRead, sw.denied = phaseDown, false, false
	c.freeReadSlot(sw)
	c.failChecks(sw)
	c.setReadCost(sw, 0)
	sw.watch, sw.audit, sw.deferred, sw.deferredOverflow, sw.resyncDue, sw.readTook = WatchReading, audit{}, nil, false, false, 0
	sw.deferredBytes = 0
	sw.auditAt = time.Time{}
	if sw.stuck {
		c.revertUnanswered(sw)
	}
	sw.batchUnanswered = false
	sw.inflight, sw.queue, sw.retries = nil, nil, nil
	sw.stale, sw.soft, sw.foreign, sw.foreignOverflow = nil, nil, nil, 0
	c.setListedBytes(sw, 0)
	sw.readAt, sw.answerDeadline, sw.resendAt = time.Time{}, time.Time{}, time.Time{}
	sw.meters.reset()
	sw.resetCompact()
	maps.DeleteFunc(sw.rows, func(_ entryKey, w *row) bool { return w.rule == nil })
	for _, key := range sortedKeys(sw.rows) {
		w := sw.rows[key]
		w.state, w.retryAt, w.fails = rowIdle, time.Time{}, 0
		w.mayHold, w.contentKnown, w.content, w.unmetered, w.lostWhileRead, w.blockedByForeign = false, false,
			content{}, false, false, false
	}
}

// sortedKeys returns the keys of rows, in the order in which a switch is filled.
func sortedKeys(rows map[entryKey]*row) []entryKey {
	return slices.SortedFunc(maps.Keys(rows), entryKey.compare)
}

// rereadLater abandons the batch in flight, whose fate a reading will show, and schedules the
// reading.
func (c *Core) rereadLater(sw *switchState, now time.Time) {
	if f := sw.inflight; f != nil {
		sw.inflight, sw.batchUnanswered = nil, true
		if f.compact != nil {
			sw.compact.abandonBatch()
		}
		for i := range f.ops {
			if w := f.ops[i].row; w != nil {
				w.state = rowIdle
				w.contentKnown = false
			}
		}
	}
	c.freeReadSlot(sw)
	sw.meters.reset()
	sw.checkRequested = sw.checkRequested || sw.checkRunning
	sw.phase, sw.audit, sw.checkRunning, sw.auditAt = phaseReading, audit{}, false, time.Time{}
	sw.unanswered++
	sw.answerDeadline, sw.resendAt = time.Time{}, time.Time{}
	sw.readAt = now.Add(c.config.backoff(sw.unanswered))
}

// startReading reads the switch's entries when its turn comes.
func (c *Core) startReading(sw *switchState, now time.Time) {
	sw.phase, sw.readAt = phaseReading, time.Time{}
	if c.mayRead(sw) {
		c.requestReading(sw, now)
	}
}

// requestReading requests the switch's entries before anything is written to it.
func (c *Core) requestReading(sw *switchState, now time.Time) {
	c.takeReadSlot(sw, now)
	sw.answerDeadline = now.Add(c.config.Answer)
	sw.readID = c.requestListing(sw)
}

// requestListing requests the switch's entries, and returns the number of the request. After a
// failure it requests all entries and ours only in turn: all may be too many for an answer.
func (c *Core) requestListing(sw *switchState) uint64 {
	c.requests++
	c.counters.Readings++
	sw.compact.beginListing()
	r := Request{Address: Address{sw.dpid, sw.epoch}, ID: c.requests, Single: sw.singleTable}
	if sw.oursOnly = sw.cookieMasks && sw.failedReads%2 == 1; sw.oursOnly {
		r.Cookie, r.Mask = plan.Cookie{Domain: c.config.Domain}.Encode(), plan.DomainMask
	}
	c.ready.Readings = append(c.ready.Readings, r)
	return r.ID
}

// onEntries compares a listing with what is desired of the switch.
func (c *Core) onEntries(sw *switchState, in Entries, now time.Time) {
	c.noRoom(sw, &in)
	if sw.audit.id != 0 && sw.audit.id == in.ID {
		c.endAudit(sw, in, now)
		return
	}
	if sw.phase != phaseReading || sw.answerDeadline.IsZero() || in.ID != sw.readID {
		return
	}
	if in.Err != nil {
		sw.failedReads++
		c.rereadLater(sw, now)
		return
	}
	c.freeReadSlot(sw)
	sw.phase, sw.answerDeadline, sw.failedReads = phaseReady, time.Time{}, 0
	if sw.stuck && !sw.batchUnanswered { // only readings timed out
		c.clearStuck(sw)
	}
	if !sw.stuck {
		sw.unanswered = 0
	}
	c.updateReadCost(sw, in.Cost)
	if !sw.wasRead {
		sw.wasRead = true
		c.ready.TreeEntries = append(c.ready.TreeEntries, TreeEntries{Address{sw.dpid, sw.epoch}, treeOf(in.Reading.Firm)})
	}
	c.setListedBytes(sw, in.Reading.size())
	sw.indexReading(&in.Reading)
	sw.pruneQueue()
	for _, key := range sortedKeys(sw.rows) {
		c.compareRow(sw, sw.rows[key], now)
	}
	c.compareListed(sw, &in.Reading.Compact)
	c.compareCompact(sw)
	c.removeBrokenSoft(sw)
	c.applyDeferred(sw, now)
	c.scheduleRegularAudit(sw, now, true)
}

// onListed compares a part of a listing whose end is still to come.
func (c *Core) onListed(sw *switchState, in ListedPart, now time.Time) {
	switch {
	case sw.audit.id != 0 && sw.audit.id == in.ID:
		sw.audit.deadline = now.Add(c.config.Answer)
	case sw.phase == phaseReading && !sw.answerDeadline.IsZero() && in.ID == sw.readID:
		sw.answerDeadline = now.Add(c.config.Answer)
	default:
		return
	}
	if c.compareListed(sw, &in.Entries); now.Sub(sw.readSince) > readTurnMax {
		c.freeReadSlot(sw)
	}
}

// treeOf returns the entries of the broadcast tree.
func treeOf(firm []Entry) (tree []Entry) {
	for i := range firm {
		if plan.Decode(firm[i].Cookie).Kind == plan.KindTree {
			tree = append(tree, firm[i])
		}
	}
	return tree
}

// indexReading replaces stale, soft and foreign with those of a listing.
func (sw *switchState) indexReading(r *Reading) {
	sw.stale = make(map[entryKey]*Entry, len(r.Firm))
	sw.soft = make(map[entryKey]*SoftEntry, len(r.Soft))
	for i := range r.Firm {
		sw.stale[sw.ourKey(r.Firm[i].key())] = &r.Firm[i]
	}
	for i := range r.Soft {
		sw.soft[sw.ourKey(r.Soft[i].key())] = &r.Soft[i]
	}
	if sw.oursOnly && sw.foreign != nil {
		return // the foreign entries of the last full reading remain
	}
	sw.foreign = make(map[entryKey]*Entry, len(r.Foreign))
	for i := range r.Foreign {
		sw.foreign[r.Foreign[i].key()] = &r.Foreign[i]
	}
	sw.foreignOverflow = r.ForeignCount - len(r.Foreign)
	sw.shadowsDirty = !sw.oursOnly && (len(sw.foreign) > 0 || sw.shadowText != "")
}

// ourKey returns the key of an entry of ours. In the single-table form all entries are in one
// table, whatever number the switch gives it.
func (sw *switchState) ourKey(key entryKey) entryKey {
	if sw.singleTable {
		key.table = plan.TableSingle
	}
	return key
}

// pruneQueue drops queued rows that were deleted during the reading.
func (sw *switchState) pruneQueue() {
	sw.queue = slices.DeleteFunc(sw.queue, func(w *row) bool { return sw.rows[w.key] != w })
}

// compareRow records the entry that the switch holds in the place of a row, and queues the row.
// After all rows, the entries left in stale are desired by no one.
func (c *Core) compareRow(sw *switchState, w *row, now time.Time) {
	w.mayHold, w.contentKnown, w.content = false, false, content{}
	if e := sw.stale[w.key]; e != nil {
		w.setHeld(e)
		delete(sw.stale, w.key)
	}
	if sw.soft[w.key] != nil {
		w.mayHold = w.rule == nil // an unconfirmed removal; an ADD replaces it
		delete(sw.soft, w.key)
	}
	if w.lostWhileRead {
		w.contentKnown, w.lostWhileRead = false, false
	}
	if w.status.state == netview.RuleInstalled && !c.holds(sw, w, w.rule.Instructions) &&
		!c.holds(sw, w, withoutMeter(w.rule.Instructions)) {
		c.report(w, c.unconfirmedStatus(sw, w))
	}
	sw.enqueue(w)
}

// prune removes entries that no one desires, Config.Grace after discovery has settled.
func (c *Core) prune(sw *switchState, now time.Time) {
	if sw.phase != phaseReady || sw.settled.IsZero() {
		return
	}
	if due := sw.settled.Add(c.config.Grace); now.Before(due) {
		c.wakeAt(sw, due)
		return
	}
	if len(sw.stale) > 0 {
		c.pruneStale(sw)
	}
	c.pruneCompact(sw, now)
	c.pruneMeters(sw, now)
}

// pruneStale queues the removal of all stale entries.
func (c *Core) pruneStale(sw *switchState) {
	for _, key := range slices.SortedFunc(maps.Keys(sw.stale), entryKey.compare) {
		if e := sw.stale[key]; sw.removeEntry(key, e.Match, e.Cookie) {
			delete(sw.stale, key)
		}
	}
}

// onRemoved handles a flow-removed message. A firm entry that is desired is put back.
func (c *Core) onRemoved(sw *switchState, in Removed, now time.Time) {
	if plan.Foreign(in.Cookie, c.config.Domain) {
		return
	}
	key := sw.ourKey(entryKey{in.Table, in.Priority, in.Match})
	delete(sw.stale, key)
	delete(sw.soft, key)
	if i, ok := sw.rowAt(key); ok {
		c.onCompactRemoved(sw, i, now)
		return
	}
	w := sw.rows[key]
	switch {
	case w == nil || w.rule == nil && w.state != rowInFlight:
		return
	case sw.phase == phaseReading: // the listing may have been made before
		w.lostWhileRead = true
		c.report(w, c.unconfirmedStatus(sw, w))
	case sw.watch == WatchMonitor: // which reports it too, in order with our own changes
	default:
		c.entryRemoved(sw, w, false, SourceRemoved, now)
	}
}

// onFacts handles a change of the switch in the view.
func (c *Core) onFacts(sw *switchState, in SwitchFacts, now time.Time) {
	before := sw.facts
	sw.facts = in.Switch
	switch {
	case !in.Settled:
		sw.settled = time.Time{}
	case sw.settled.IsZero():
		sw.settled = now
	}
	if before == nil || !slices.EqualFunc(before.Ports, in.Switch.Ports, samePort) || before.State != in.Switch.State {
		c.removeBrokenSoft(sw)
	}
}

func samePort(a, b netview.Port) bool { return a.Number == b.Number && a.Up == b.Up }

// removeBrokenSoft removes leftover soft entries that output to a port which is down or gone.
func (c *Core) removeBrokenSoft(sw *switchState) {
	if sw.phase != phaseReady || len(sw.soft) == 0 || sw.facts == nil || sw.facts.State != netview.SwitchReady {
		return
	}
	up := make(map[uint32]bool, len(sw.facts.Ports))
	for i := range sw.facts.Ports {
		up[sw.facts.Ports[i].Number] = sw.facts.Ports[i].Up
	}
	var broken []entryKey
	for key, e := range sw.soft {
		if slices.ContainsFunc(e.Ports, func(p uint32) bool { return !up[p] }) {
			broken = append(broken, key)
		}
	}
	slices.SortFunc(broken, entryKey.compare)
	for _, key := range broken {
		if e := sw.soft[key]; sw.removeEntry(key, e.Match, e.Cookie) {
			delete(sw.soft, key)
		}
	}
}
