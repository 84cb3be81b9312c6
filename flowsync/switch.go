package flowsync

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// switchCore makes one switch hold what is desired of it. It is made of parts with state of their own; each
// part knows the parts that it uses, never those that use it, and what takes several parts is here.
type switchCore struct {
	session

	health  health
	reading reading
	soft    softEntries
	foreign foreignEntries
	batch   batcher
	checks  checks

	objects switchObjects
	rules   ruleTable
	sending [2]ruleBatch // at most two are in flight
	listing ruleListing
	notices notices

	infrastructure infrastructure

	settled     time.Time        // when discovery settled for this session; zero if it has not
	converged   bool             // nothing is queued, in flight or pending
	convergedAt netview.Revision // while not converged: the last revision at which it was
	dirty       bool             // in Core.dirty
}

func newSwitchCore(dpid netview.DPID, common *shared) *switchCore {
	sw := &switchCore{session: session{shared: common, dpid: dpid}}
	s, h, r := &sw.session, &sw.health, &sw.reading
	sw.health = health{session: s}
	sw.reading = reading{session: s, health: h}
	sw.soft = softEntries{session: s}
	sw.foreign = foreignEntries{session: s}
	sw.batch = batcher{session: s, health: h}
	sw.checks = checks{session: s}
	sw.objects = newSwitchObjects(s, h, r)
	sw.rules = ruleTable{session: s, ruleRows: ruleRows{of: s}, health: h, reading: r, foreign: &sw.foreign, soft: &sw.soft,
		objects: &sw.objects, failures: failures{session: s}}
	for i := range sw.sending {
		sw.sending[i].ruleTable = &sw.rules
	}
	sw.batch.pace.shared = common
	sw.listing = ruleListing{ruleTable: &sw.rules, batches: &sw.sending}
	sw.notices = notices{session: s, reading: r, soft: &sw.soft, foreign: &sw.foreign, batch: &sw.batch,
		listing: &sw.listing}
	return sw
}

// apply applies an input of the current session.
func (sw *switchCore) apply(in Input, now time.Time) {
	switch in := in.(type) {
	case Down:
		sw.onDown(in)
	case Mastered:
		sw.onMastered(in, now)
	case Entries:
		sw.onEntries(in, now)
	case ListedPart:
		sw.onListed(in, now)
	case Objects:
		sw.onObjects(in, now)
	case Features:
		sw.objects.Features(in.Groups, in.Meters)
	case Sent:
		sw.batch.onSent(in, now)
	case Refused:
		sw.batch.onRefused(in)
	case Confirmed:
		sw.onConfirmed(in, now)
	case Removed:
		sw.notices.onRemoved(in, now)
	case *RemovedPacked:
		sw.listing.removedPacked(&in.Entries, now)
	case MonitorAnswer:
		sw.notices.onAnswer(in, now)
	case Changed:
		sw.notices.onChanged(in.Changes, now)
	case Paused:
		sw.notices.onPaused(in, now)
	case Overflow:
		sw.notices.onMissed(now)
	}
}

// onConfirmed ends the batch in flight: every message that was not refused has been executed.
func (sw *switchCore) onConfirmed(in Confirmed, now time.Time) {
	f := sw.batch.inflight
	if f == nil || f.id != in.Batch || f.sent < f.size() {
		return
	}
	if in.Err != nil {
		sw.rereadLater(now)
		return
	}
	if f.errorsDropped {
		sw.rereadLater(now)
		sw.health.unanswered, sw.health.batchUnanswered = 0, false
		return
	}
	sw.batch.end(now)
	if sw.health.stuck {
		sw.clearStuck()
	}
	if f.rules != nil {
		f.rules.done(now)
	}
	for i := range f.ops {
		o := &f.ops[i]
		sw.objects.Done(o.object, o.refused, now)
	}
}

// onFacts handles a change of the switch in the view.
func (sw *switchCore) onFacts(in SwitchFacts, now time.Time) {
	before := sw.facts
	sw.facts = in.Switch
	switch {
	case !in.Settled:
		sw.settled = time.Time{}
	case sw.settled.IsZero():
		sw.settled = now
	}
	if before == nil || !slices.EqualFunc(before.Ports, in.Switch.Ports, samePort) || before.State != in.Switch.State {
		sw.soft.removeUseless(sw.rules.ofView().pruneSoft)
	}
}

func samePort(a, b netview.Port) bool { return a.Number == b.Number && a.Up == b.Up }

// advance does what is due, and updates converged.
func (sw *switchCore) advance(now time.Time) {
	sw.runDue(now)
	sw.rules.alarmLost()
	sw.foreign.checkShadows(sw.rules.ofView().desired, now)
	sw.soft.countLeftover()
	rest := sw.phase == phaseReady && sw.batch.inflight == nil && sw.objects.Quiet() && sw.rules.converged()
	if sw.converged && !rest {
		sw.convergedAt = sw.previous
	}
	sw.converged = rest
}

// runDue handles timeouts and retries, begins readings, prunes, sends the next batch, and sets the
// next deadline.
func (sw *switchCore) runDue(now time.Time) {
	if sw.phase == phaseDown {
		if sw.facts == nil {
			sw.release()
		}
		return
	}
	if reached(sw.health.answerDeadline, now) {
		sw.rereadLater(now)
	}
	if reached(sw.reading.at, now) && sw.batch.inflight == nil {
		if sw.health.unanswered > 0 && !sw.health.stuck {
			sw.health.markStuck()
			sw.rules.ofView().restate(pending, unanswered)
		}
		sw.startReading(now)
	}
	sw.runAudit(now)
	sw.objects.readAlone(now)
	sw.rules.retryDue(now)
	mortalRules{&sw.rules}.endDue(now)
	sw.prune(now)
	if reached(sw.batch.resendAt, now) {
		sw.batch.resendAt = time.Time{}
		if f := sw.batch.newest(); f != nil && f.barrierSent.IsZero() {
			sw.batch.emit()
		}
	}
	sw.sendNext(now)
	for _, t := range []time.Time{sw.health.answerDeadline, sw.reading.at, sw.batch.resendAt, sw.reading.auditAt,
		sw.reading.audit.deadline, sw.health.lyingUntil, sw.objects.RetryAt(), sw.objects.alone.at,
		sw.objects.alone.deadline} {
		if !t.IsZero() && t.After(now) {
			sw.wakeAt(t)
		}
	}
	for _, at := range []time.Time{sw.rules.failures.retryAt, sw.rules.mortals.endingAt} {
		if !at.IsZero() {
			sw.wakeAt(at)
		}
	}
}

// sendNext makes the next batch: groups and meters first, since rules wait for them. Two are in flight at most.
func (sw *switchCore) sendNext(now time.Time) {
	if sw.phase != phaseReady || sw.denied {
		return
	}
	if sw.batch.inflight != nil {
		sw.sendBehind(now)
		return
	}
	f := sw.next(now)
	for f == nil && sw.objects.Due() { // of rules that were refused: theirs go
		f = sw.next(now)
	}
	if f != nil {
		sw.batch.start(f, now)
	}
}

// next makes the next batch, nil if there is nothing to send.
func (sw *switchCore) next(now time.Time) *inflightBatch {
	f := sw.objects.next(sw.batch.pace.limit, sw.rules.ofView().usesMeter, now)
	sw.objects.wakeRules(sw.rules.ofView())
	if f == nil && sw.batch.resendAt.IsZero() {
		f = sw.sending[0].next(sw.batch.pace.limit, now)
	}
	return f
}

// sendBehind makes a second batch behind one that is sent, if more rules wait than fit into one, and nothing else does.
func (sw *switchCore) sendBehind(now time.Time) {
	b := &sw.batch
	switch {
	case b.behind != nil || !b.resendAt.IsZero() || b.inflight.rules == nil || b.inflight.barrierSent.IsZero():
	case sw.rules.queue.count < b.pace.limit:
	case sw.objects.Due() || reached(sw.objects.RetryAt(), now) || reached(sw.reading.at, now):
	default:
		free := &sw.sending[0]
		if b.inflight.rules == free {
			free = &sw.sending[1]
		}
		if f := free.next(b.pace.limit, now); f != nil {
			b.start(f, now)
		}
	}
}

// prune removes entries that no one desires, Config.Grace after discovery has settled.
func (sw *switchCore) prune(now time.Time) {
	if sw.phase != phaseReady || sw.settled.IsZero() {
		return
	}
	if due := sw.settled.Add(sw.config.Grace); now.Before(due) {
		sw.wakeAt(due)
		return
	}
	sw.listing.prune(now)
	if sw.batch.inflight == nil && sw.rules.queue.count == 0 {
		sw.objects.Prune(sw.foreign.count() > 0)
	}
}

// clearStuck removes the mark that the switch does not answer.
func (sw *switchCore) clearStuck() {
	sw.health.clearStuck()
	sw.rules.ofView().restate(unanswered, pending)
	sw.health.setStuckAlarm("")
}

// release withdraws the infrastructure's rules of a switch that is neither in the view nor connected, and ends
// what waits for it.
func (sw *switchCore) release() {
	sw.checks.fail()
	sw.foreign.clearShadowAlarm()
	sw.health.setStuckAlarm("")
	if sw.health.lying {
		sw.health.clearLying()
	}
	if sw.infrastructure.desired {
		sw.ready.Infrastructure = append(sw.ready.Infrastructure, sw.infrastructure.withdraw(sw.dpid, sw.config.Domain))
	}
	sw.rules.release()
}

// gone reports whether nothing is known of the switch, nor desired of it.
func (sw *switchCore) gone() bool {
	return sw.phase == phaseDown && sw.facts == nil && sw.objects.Empty() && sw.rules.rowCount() == 0
}
