package flowsync

import (
	"errors"
	"time"
)

// startReading reads the switch's entries when its turn comes.
func (sw *switchCore) startReading(now time.Time) {
	sw.phase, sw.reading.at = phaseReading, time.Time{}
	sw.reading.freeSlot()
	if sw.readQueue.admits(sw) {
		sw.requestReading(now)
	}
}

// requestReading requests the switch's entries before anything is written to it.
func (sw *switchCore) requestReading(now time.Time) {
	sw.reading.takeSlot(sw.rules.ordered(), now)
	sw.health.answerDeadline = now.Add(sw.config.Answer)
	sw.listing.begin()
	sw.reading.tree, sw.reading.holds = nil, false
	sw.objects.beginFirst()
	sw.reading.id = sw.reading.request(&sw.objects)
}

// onEntries compares a listing with what is desired of the switch.
func (sw *switchCore) onEntries(in Entries, now time.Time) {
	if in.Reading.incomplete {
		sw.reading.alarmNoRoom()
	}
	if sw.reading.audit.id != 0 && sw.reading.audit.id == in.ID {
		sw.endAudit(in, now)
		return
	}
	if !sw.reading.awaits(in.ID) {
		return
	}
	if in.Err != nil {
		owed := sw.health.unanswered
		sw.reading.failed++
		sw.rereadLater(now)
		if errors.Is(in.Err, errOrder) || errors.Is(in.Err, errListing) { // an answer, though of no use
			sw.health.unanswered, sw.reading.at = owed, now.Add(sw.config.backoff(sw.reading.failed))
		}
		return
	}
	sw.reading.freeSlot()
	sw.phase, sw.health.answerDeadline, sw.reading.failed = phaseReady, time.Time{}, 0
	if sw.health.stuck && !sw.health.batchUnanswered { // only readings timed out
		sw.clearStuck()
	}
	if !sw.health.stuck {
		sw.health.unanswered = 0
	}
	sw.reading.updateCost(in.Cost)
	sw.foreign.index(&in.Reading, sw.reading.oursOnly)
	sw.reading.found(&in.Reading.Ours)
	sw.listing.listed(&in.Reading.Ours)
	sw.soft.index(&in.Reading, sw.listing.hasRow)
	sw.listing.compare(now)
	if !sw.reading.wasRead {
		sw.reading.wasRead, sw.reading.everRead = true, true
		sw.ready.TreeEntries = append(sw.ready.TreeEntries, TreeEntries{sw.address(), sw.reading.tree, sw.reading.holds})
		sw.reading.tree = nil
	}
	sw.soft.removeUseless(sw.rules.ofView().pruneSoft)
	sw.notices.afterReading(now)
	sw.reading.scheduleRegular(now, true)
}

// onListed compares a part of a listing whose end is still to come.
func (sw *switchCore) onListed(in ListedPart, now time.Time) {
	switch {
	case sw.reading.audit.id != 0 && sw.reading.audit.id == in.ID:
		sw.reading.audit.deadline = now.Add(sw.config.Answer)
	case sw.reading.awaits(in.ID):
		sw.health.answerDeadline = now.Add(sw.config.Answer)
	default:
		return
	}
	sw.reading.found(&in.Entries)
	if sw.listing.listed(&in.Entries); now.Sub(sw.reading.since) > readTurnMax {
		sw.reading.freeSlot()
	}
}

// rereadLater abandons the batch in flight, whose fate a reading will show, and schedules the
// reading.
func (sw *switchCore) rereadLater(now time.Time) {
	if sw.batch.inflight != nil {
		sw.health.batchUnanswered = true
		sw.batch.abandon()
	}
	sw.reading.freeSlot()
	sw.objects.reset()
	sw.checks.again()
	sw.phase, sw.reading.audit, sw.reading.auditAt = phaseReading, audit{}, time.Time{}
	sw.health.unanswered++
	sw.health.answerDeadline, sw.batch.resendAt = time.Time{}, time.Time{}
	sw.reading.at = now.Add(sw.config.backoff(sw.health.unanswered))
}

// runAudit begins and ends audits.
func (sw *switchCore) runAudit(now time.Time) {
	r := &sw.reading
	if reached(r.audit.deadline, now) {
		sw.endAudit(Entries{Err: errNoAnswer}, now)
	}
	if reached(r.auditAt, now) && !sw.checks.requested && r.auditAt.Equal(r.regularAt) &&
		r.costGrew(sw.rules.ordered()) {
		r.auditAt = time.Time{}
		r.scheduleRegular(now, false)
	}
	if (reached(r.auditAt, now) || sw.checks.requested) && sw.phase == phaseReady && r.audit.id == 0 {
		sw.listing.begin()
		r.beginAudit(&sw.objects, now)
		sw.checks.begin()
	}
	if reached(sw.health.lyingUntil, now) {
		sw.health.clearLying()
	}
}

// endAudit compares the listing with what the switch is known to hold, and repairs differences.
func (sw *switchCore) endAudit(in Entries, now time.Time) {
	sw.reading.endAudit(now)
	if in.Err != nil {
		sw.reading.failed++
		sw.listing.dropUnused()
		sw.reading.scheduleAudit(now.Add(sw.config.backoff(sw.reading.failed)))
		sw.checks.end(Findings{Err: in.Err})
		return
	}
	sw.reading.failed = 0
	sw.reading.updateCost(in.Cost)
	f := Findings{}
	f.objects(sw.objects.differences)
	sw.foreign.index(&in.Reading, sw.reading.oursOnly)
	sw.listing.listed(&in.Reading.Ours)
	sw.soft.index(&in.Reading, sw.listing.hasRow)
	sw.listing.audit(&f, now)
	sw.soft.removeUseless(sw.rules.ofView().pruneSoft)
	sw.notices.afterAudit(f.InFlight == 0, now)
	f.Foreign = sw.foreign.count()
	if sw.checks.running {
		f.Shadows, f.Shadowed = sw.foreign.shadows(sw.rules.ofView().desired(), ShadowsMax)
	}
	sw.checks.end(f)
	sw.reading.scheduleRegular(now, false)
}
