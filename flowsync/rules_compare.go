package flowsync

import (
	"time"

	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// ruleListing compares the rules with what the switch lists and reports. What it learns of a place since a listing was
// requested counts more than the listing, which may be older.
type ruleListing struct {
	*ruleTable
	batches *[2]ruleBatch

	others map[uint32]string // of an audit: what is in the places of rows whose rule it is not
}

// othersMax is of how many differences an audit remembers what the switch holds.
const othersMax = 1024

// begin prepares the rows for a listing.
func (l *ruleListing) begin() {
	l.staleOverflow, l.others = 0, nil
	for i := range l.rows {
		r := &l.rows[i]
		r.state = r.state.after(readingBegun)
		if r.state&inFlight != 0 {
			r.state = r.state.after(noticeCame)
		}
	}
}

// listed compares a part of a listing with the rows. A row with a change since the request
// is only marked as listed: the listing may be older.
func (l *ruleListing) listed(packed *Packed) {
	asked := l.reading.since
	if packed.Count == 0 {
		return
	}
	for b := packed.bytes; len(b) > 0; {
		var e packedEntry
		e, b = nextPacked(b)
		if l.singleTable { // whatever number the switch gives it
			e.place.table = plan.TableSingle
		}
		hash := e.place.hash()
		i, ok := l.find(e.place, hash)
		if !ok {
			l.trackAt(&e, hash, asked)
			continue
		}
		r := &l.rows[i]
		switch {
		case r.state.has(changed):
			l.apply(i, listedAnything)
			l.objects.Keep(i, string(e.do))
		case l.is(&e, i, r.set, r.rule),
			!l.reading.everRead && isRest(r.set, e.idle(), e.hard()) && l.does(&e, r.set, r.rule):
			l.mortals.listed(i, &e, asked)
			if l.apply(i, listedRule); !r.state.wants(wantsRule) {
				l.objects.Keep(i, string(e.do))
			}
		case !r.state.wants(wantsRule) && r.state&inFlight == 0 && !e.ownedBy(r.set):
			l.reassign(i, &e, asked)
		case l.phase == phaseReading && l.isBare(&e, i):
			l.apply(i, listedRule)
		default:
			if l.apply(i, listedOther); !e.ownedBy(r.set) {
				l.apply(i, ownerReplaced)
			}
			l.objects.Keep(i, string(e.do))
			l.noteOther(i, &e)
		}
	}
}

// is reports whether an entry in the place of a row, of a rule, is that rule.
func (l *ruleListing) is(e *packedEntry, i uint32, set *ruleset.Set, rule uint16) bool {
	if (len(e.times) > 0 || set.Mortal()) && (e.idle() != set.Idle || e.hard() != l.mortals.hardOf(i, set)) {
		return false
	}
	return l.does(e, set, rule)
}

// isBare reports whether an entry is the rule of the view that its row is of without its meter or, if the row is
// that, with it; it is the row's rule then.
func (l *ruleListing) isBare(e *packedEntry, i uint32) bool {
	v := l.view[i]
	if v == nil || v.bare == nil {
		return false
	}
	other := v.bare
	if l.rows[i].set == other {
		other = v.set
	}
	if !l.is(e, i, other, 0) {
		return false
	}
	l.give(i, other, 0)
	return true
}

// noteOther remembers what an audit finds instead of a rule.
func (l *ruleListing) noteOther(i uint32, e *packedEntry) {
	if l.reading.audit.id == 0 || len(l.others) >= othersMax {
		return
	}
	if l.others == nil {
		l.others = make(map[uint32]string)
	}
	l.others[i] = describe(e.cookie, ruleset.ParseKey(string(e.do))) + timesText(e.idle(), e.hard())
}

// reassign gives a row that is not desired to the other owner whose entry is in its place; no one
// desires that either.
func (l *ruleListing) reassign(i uint32, e *packedEntry, asked time.Time) {
	r := &l.rows[i]
	if r.state.wants(wantsRemoval) {
		l.ready.outcome(r.set, r.rule, ruleset.Removed)
	}
	l.give(i, e.toSet(l.dpid, l.objects.Table), 0)
	l.apply(i, listedStranger)
	l.mortals.forget(i)
	l.mortals.listed(i, e, asked)
	l.objects.Release(i)
	l.objects.Keep(i, string(e.do))
	l.failures.clear(i)
	l.schedulePrune(time.Time{})
}

// trackAt adds a row for an entry that was never ordered, if there is room.
func (l *ruleListing) trackAt(e *packedEntry, hash uint32, asked time.Time) {
	if l.count[classStale]+l.count[classPruning] >= staleMax || l.listedBytes >= l.config.ListMax {
		if l.staleOverflow++; l.staleOverflow == 1 {
			l.reading.alarmNoRoom()
		}
		return
	}
	i := l.addRow(e.toSet(l.dpid, l.objects.Table), 0, hash)
	l.apply(i, listedRule)
	l.mortals.listed(i, e, asked)
	l.objects.Keep(i, string(e.do))
	l.schedulePrune(time.Time{})
}

// track adds a row for an entry that was never ordered and that a notice reported.
func (l *ruleListing) track(key entryKey, e *Entry, now time.Time) {
	var keep Packed
	if packed, ok := packEntry(e, l.objects.Numbers(), &keep); ok {
		packed.place.table = key.table
		a := packed.place
		l.trackAt(&packed, a.hash(), now)
		if i, ok := l.find(a, a.hash()); ok {
			l.apply(i, noticeCame)
		}
	}
}

// compare ends a reading during which nothing was written. The view's rules, which are few and may need each other, are
// sent first, in the order in which a switch is filled.
func (l *ruleListing) compare(now time.Time) {
	l.queue.clear()
	for _, i := range l.ofView().sorted() {
		l.compareRow(i, now)
	}
	for n := range l.rows {
		r := &l.rows[n]
		if r.set != nil && !(policyOf(r.set).status && r.state.wants(wantsRule)) {
			l.compareRow(uint32(n), now)
		}
	}
}

// compareRow draws the conclusions from the listing for one row.
func (l *ruleListing) compareRow(i uint32, now time.Time) {
	r := &l.rows[i]
	if r.state.waits() {
		l.apply(i, dequeued)
	}
	switch {
	case !r.state.has(listed):
		l.apply(i, entryGone)
	case r.state.has(changed): // a notice about the place came meanwhile: it is written again
		l.apply(i, entryUnknown)
	}
	if (mortalRules{l.ruleTable}).ended(i, now) {
		return
	}
	if r.state.has(reported) && !r.state.holds(holdsRule) {
		l.reportOpen(i)
	}
	switch {
	case r.state.wants(wantsRule) && r.state.holds(holdsRule) && !policyOf(r.set).yields:
		l.reportInstalled(i)
	case r.state.wants(wantsRule): // also one whose meter is not known yet
		l.enqueue(i)
	case r.state.holds(holdsNothing):
		l.endRemoved(i)
	case r.state.wants(wantsNothing):
		l.schedulePrune(time.Time{})
	default:
		l.enqueue(i)
	}
}

// prune queues the removal of stale entries when it is due.
func (l *ruleListing) prune(now time.Time) {
	switch {
	case l.staleOverflow > 0 && l.count[classStale]+l.count[classPruning] == 0:
		l.staleOverflow = 0
		l.reading.scheduleAudit(now)
	case !l.pruneDue:
		return
	case now.Before(l.pruneAt):
		l.wakeAt(l.pruneAt)
		return
	}
	l.pruneDue, l.pruneAt = false, time.Time{}
	for n := range l.rows {
		i := uint32(n)
		if l.rows[i].state.class() == classStale {
			l.apply(i, pruneDue)
			l.enqueue(i)
		}
	}
}

// dropUnused drops rows that were kept only until the audit ends.
func (l *ruleListing) dropUnused() {
	for n := range l.rows {
		if r := &l.rows[n]; r.set != nil && r.state.class() == classNone && !r.state.moves() {
			l.drop(uint32(n))
		}
	}
}

// audit ends an audit: it compares the rows that did not change during it.
func (l *ruleListing) audit(f *Findings, now time.Time) {
	for n := range l.rows {
		i := uint32(n)
		r := &l.rows[i]
		if r.set == nil {
			continue
		}
		switch r.state.class() {
		case classNone:
			if !r.state.moves() { // else it ends when its turn comes
				l.drop(i)
			}
			continue
		case classStale:
		default:
			f.Desired++
			if !r.state.settled() {
				f.InFlight++
				continue
			}
			f.Compared++
		}
		if r.state.settled() {
			l.auditRow(i, f, now)
		}
	}
	l.others = nil
	f.sort()
}

// auditRow draws the conclusions from an audit for one row; listed has set its state
// if it was listed.
func (l *ruleListing) auditRow(i uint32, f *Findings, now time.Time) {
	r := &l.rows[i]
	was := r.state.holds(holdsRule) || r.state.has(reported)
	if !r.state.has(listed) {
		l.apply(i, entryGone)
	}
	if (mortalRules{l.ruleTable}).ended(i, now) {
		return
	}
	switch {
	case !r.state.wants(wantsRule) && r.state.holds(holdsNothing):
		l.endRemoved(i)
	case r.state.wants(wantsNothing):
		l.addExtra(f, i)
	case !r.state.wants(wantsRule): // a removal that waits for its retry
	case r.state.holds(holdsRule):
		l.failures.kept(i, now, l.health.lying)
		l.reportInstalled(i)
	case was:
		l.addMissing(f, i)
		if !l.failures.waits(i) {
			l.drift(i, SourceReading, now)
		}
	case r.state.has(failed):
		if f.Failed++; l.ofView().unblocked(i) {
			f.Failed--
			l.enqueue(i)
		}
	default:
		if !l.failures.waits(i) {
			l.enqueue(i)
		}
	}
}

// addMissing adds a rule that is missing or changed.
func (l *ruleListing) addMissing(f *Findings, i uint32) {
	rule, held := renderRow(l.ruleTable, i), ""
	if text, ok := l.others[i]; ok {
		held = text
	} else if !l.rows[i].state.holds(holdsNothing) {
		held = "something else"
	} else {
		held = l.foreign.holds(l.place(i).key())
	}
	f.addMissing(rule, rule.Instructions, held)
	set := l.rows[i].set
	f.Differences[len(f.Differences)-1].Desired += timesText(set.Idle, set.Hard)
}

// addExtra adds a stale entry.
func (l *ruleListing) addExtra(f *Findings, i uint32) {
	rule := renderRow(l.ruleTable, i)
	f.Differences = append(f.Differences, Difference{
		Kind: DifferenceExtra, Table: rule.Table, Priority: rule.Priority, Match: rule.Match,
		Held: describe(rule.Cookie, rule.Instructions),
	})
}
