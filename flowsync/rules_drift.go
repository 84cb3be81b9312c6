package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// drift puts back a rule that the switch was known to hold and lost or changed: at once the first
// time, then with growing backoff. A rule that is lost repeatedly is no accident: the switch lies,
// or someone removes it. One whose time is over is not put back.
func (t *ruleTable) drift(i uint32, s Source, now time.Time) {
	if (mortalRules{t}).spent(i, now) {
		return
	}
	t.mortals.lose(i)
	t.counters.Repairs++
	t.counters.Drift[s]++
	if t.lostBy = s; t.lostInStep == 0 {
		t.lostFirst = t.name(i)
	}
	t.lostInStep++
	failed := t.failures.lost(i, now, t.health.lying)
	t.apply(i, driftNoticed)
	if failed.losses >= t.config.LieCount {
		t.health.markLying(t.name(i), failed.losses, failed.lostSince, now)
	}
	t.reportOpen(i)
	pause := t.health.lossBackoff(failed.losses)
	if s == SourceReading { // only a reading can show that it is held this time
		t.reading.scheduleAudit(now.Add(pause + t.config.RetryFirst))
	}
	switch {
	case t.rows[i].state.moves():
	case pause > 0:
		t.failures.retry(i, now.Add(pause))
	default:
		t.enqueue(i)
	}
}

// alarmLost raises the alarm drift for the rows lost in this step.
func (t *ruleTable) alarmLost() {
	switch {
	case t.lostInStep == 0:
		return
	case t.lostInStep == 1:
		t.health.raiseDriftAlarm(fmt.Sprintf("%s was lost or changed: it is put back (noticed by %s)", t.lostFirst, t.lostBy))
	default:
		t.health.raiseDriftAlarm(fmt.Sprintf("%d rules were lost or changed, the first %s: they are put back (noticed by %s)",
			t.lostInStep, t.lostFirst, t.lostBy))
	}
	t.lostInStep, t.lostFirst = 0, ""
}

// removed handles a notice that the entry in a row's place is gone; ofOthers: it was
// foreign.
func (l *ruleListing) removed(i uint32, ofOthers bool, s Source, now time.Time) {
	r := &l.rows[i]
	l.apply(i, noticeCame)
	switch {
	case r.state&inFlight != 0:
		l.markLost(i, s)
	case ofOthers && r.state.holds(holdsRule): // our entry replaced it
	case !r.state.wants(wantsRule) && !r.state.holds(holdsNothing) && !ofOthers:
		l.apply(i, entryGone)
		if !r.state.waits() {
			l.endRemoved(i)
		}
	case r.state.wants(wantsRule) && r.state.holds(holdsRule):
		l.apply(i, entryGone)
		l.drift(i, s, now)
	case r.state.wants(wantsRule):
		l.mortals.lose(i)
		if l.apply(i, entryGone); !r.state.has(failed) || l.ofView().unblocked(i) {
			l.enqueue(i)
		}
	}
}

// changed handles a notice that an entry in a row's place was added or changed.
func (l *ruleListing) changed(i uint32, e *Entry, now time.Time) {
	r := &l.rows[i]
	l.apply(i, noticeCame)
	foreign := plan.Foreign(e.Cookie, l.config.Domain)
	if r.state&inFlight != 0 {
		if o := l.adding(i); o != nil && (foreign || !l.entryIs(e, i, o.set, o.rule)) {
			l.markLost(i, SourceMonitor)
		}
		return
	}
	is := !foreign && l.entryIs(e, i, r.set, r.rule)
	if !is && !foreign {
		l.keepObjects(i, e)
	}
	switch {
	case !r.state.wants(wantsRule) && foreign: // our entry is gone
		if l.apply(i, entryGone); !r.state.moves() {
			l.endRemoved(i)
		}
	case !r.state.wants(wantsRule):
		l.apply(i, entryUnknown)
		if !r.state.wants(wantsNothing) {
			l.enqueue(i)
		}
	case is:
		l.apply(i, entrySeen)
		l.mortals.seen(i, r.set, e.Hard, now)
		if !r.state.has(reported) {
			l.enqueue(i)
		}
	case r.state.holds(holdsRule) || r.state.has(reported):
		if l.apply(i, entryUnknown); foreign && (mortalRules{l.ruleTable}).over(i, now) {
			l.apply(i, entryGone) // nothing of ours is left to be removed
		}
		l.drift(i, SourceMonitor, now)
	default:
		l.mortals.lose(i)
		l.apply(i, entryUnknown)
	}
}

// entryIs reports whether an entry in the place of a row, of a rule, is that rule.
func (l *ruleListing) entryIs(e *Entry, i uint32, set *ruleset.Set, rule uint16) bool {
	var keep Packed
	packed, ok := packEntry(e, l.objects.Numbers(), &keep)
	return ok && l.is(&packed, i, set, rule)
}

// keepObjects has the groups and meters stay that an entry uses, which the switch holds in a row's place.
func (l *ruleListing) keepObjects(i uint32, e *Entry) {
	var keep Packed
	if packed, ok := packEntry(e, l.objects.Numbers(), &keep); ok {
		l.objects.Keep(i, string(packed.do))
	}
}

// removedPacked handles flow-removed messages, most of which follow from our own removals.
func (l *ruleListing) removedPacked(packed *Packed, now time.Time) {
	for b := packed.bytes; len(b) > 0; {
		var e packedEntry
		e, b = nextPacked(b)
		if l.singleTable {
			e.place.table = plan.TableSingle
		}
		if i, ok := l.find(e.place, e.place.hash()); ok {
			l.flowRemoved(i, now)
		}
	}
}

// flowRemoved handles a flow-removed message for a row's place.
func (l *ruleListing) flowRemoved(i uint32, now time.Time) {
	switch {
	case l.phase == phaseReading: // the listing may have been made before
		l.mortals.lose(i)
		if l.apply(i, noticeCame); l.rows[i].state.has(reported) {
			l.reportOpen(i)
		}
	case l.watch == WatchMonitor: // which reports it too, in order with our own changes
	default:
		l.removed(i, false, SourceRemoved, now)
	}
}
