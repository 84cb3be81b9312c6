package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// ruleTable is what is wanted of one switch, and what it holds of ours, but for soft entries of this run: a row for
// each place, whoever's. What can happen to a row is in state.go, what differs between owners in policy.go. Rare
// properties of rows are in side tables.
type ruleTable struct {
	*session
	ruleRows
	health  *health
	reading *reading
	foreign *foreignEntries
	soft    *softEntries
	objects *switchObjects

	view     map[uint32]*viewRule // of each row that the view desires, and no other
	failures failures             // of rows that were refused or lost
	mortals  mortals              // of rows whose entries have time-outs
	queue    rowQueue             // to be compared and sent

	pruneDue      bool      // there are stale rows that nobody prunes
	pruneAt       time.Time // when they may be removed, once discovery has settled
	staleOverflow int       // stale entries for which there is no room, counted only
	foundBytes    int       // of rows with entries that nobody ordered; part of shared.listedBytes
	tableFull     bool      // the alarm table-full is raised

	lostInStep int    // rows lost in this step, for one alarm
	lostFirst  string // the name of the first
	lostBy     Source
}

// staleMax bounds the stale entries kept of a switch: when they are removed it is read again.
const staleMax = 1 << 16

// addRow makes a row in a place that has none.
func (t *ruleTable) addRow(set *ruleset.Set, rule uint16, hash uint32) uint32 {
	i := t.add(set, rule, hash)
	t.countFound(set, 1)
	if len(t.soft.at) > 0 {
		t.soft.take(t.place(i).key())
	}
	return i
}

// give gives a row to a rule in the same place.
func (t *ruleTable) give(i uint32, set *ruleset.Set, rule uint16) {
	r := &t.rows[i]
	t.countFound(r.set, -1)
	r.set, r.rule = set, rule
	t.countFound(set, 1)
}

// countFound counts the bytes of a set that was made of an entry, once or, with -1, no more.
func (t *ruleTable) countFound(set *ruleset.Set, times int) {
	if set.Policy == ruleset.Found {
		n := times * foundSize(set)
		t.foundBytes += n
		t.listedBytes += n
	}
}

// drop forgets a row. It must be neither queued nor in flight.
func (t *ruleTable) drop(i uint32) {
	t.countFound(t.rows[i].set, -1)
	t.ruleRows.drop(i)
	t.failures.forget(i)
	t.mortals.forget(i)
	t.objects.Release(i)
}

// freeRow drops a row. During an audit its place is kept until the end: the listing may be older.
func (t *ruleTable) freeRow(i uint32) {
	if t.reading.audit.id != 0 {
		t.apply(i, rowEnded)
		t.failures.forget(i)
		t.mortals.forget(i)
		t.objects.Release(i)
		return
	}
	t.drop(i)
}

// clear forgets all, when there are no rows.
func (t *ruleTable) clear() {
	*t = ruleTable{session: t.session, ruleRows: ruleRows{of: t.session}, health: t.health, reading: t.reading,
		foreign: t.foreign, soft: t.soft, objects: t.objects, failures: failures{session: t.session}}
}

// reset ends a session: what the switch holds is not known any more. What was installed remains installed.
func (t *ruleTable) reset() {
	t.queue.clear()
	t.staleOverflow = 0
	t.failures.reset()
	mortalRules{t}.endAll()
	for _, v := range t.view {
		v.unmetered, v.blocked = false, false
	}
	for n := range t.rows {
		i := uint32(n)
		if t.rows[i].set == nil {
			continue
		}
		if s := t.rows[i].state; !s.wants(wantsRule) && !s.wants(wantsRemoval) {
			t.drop(i)
			continue
		}
		t.apply(i, sessionEnded)
	}
	if t.rowCount() == 0 {
		t.clear()
	}
}

// release ends the removals at a switch that is neither in the view nor connected.
func (t *ruleTable) release() {
	for n := range t.rows {
		if t.count[classRemoving] == 0 {
			break
		}
		if t.rows[n].state.wants(wantsRemoval) {
			t.endRemoved(uint32(n))
		}
	}
	if t.rowCount() == 0 {
		t.clear()
	}
}

// enqueue queues a row, unless it is queued or in flight.
func (t *ruleTable) enqueue(i uint32) {
	r := &t.rows[i]
	if t.phase == phaseReady && !r.state.moves() {
		t.apply(i, enqueued)
		t.queue.push(i, classOf(r.set))
	}
}

// schedulePrune schedules the removal of stale rows, not before a time.
func (t *ruleTable) schedulePrune(at time.Time) {
	t.pruneDue = true
	if at.After(t.pruneAt) {
		t.pruneAt = at
	}
}

// retryDue queues the rows whose pause has ended.
func (t *ruleTable) retryDue(now time.Time) {
	for _, i := range t.failures.due(now) {
		t.counters.Retries++
		t.enqueue(i)
	}
}

// needsReading reports whether a barrier reply does not suffice to call a row installed.
func (t *ruleTable) needsReading(i uint32) bool {
	return t.health.lying && t.health.needsReading(t.failures.losses(i))
}

// converged reports whether nothing is queued, pending or being removed.
func (t *ruleTable) converged() bool {
	return t.queue.count == 0 && t.count[classPending] == 0 && t.count[classRemoving] == 0
}

// ordered is the number of rows that the view does not desire.
func (t *ruleTable) ordered() int { return t.rowCount() - len(t.view) }

// reportInstalled reports that a rule is installed, unless that was reported.
func (t *ruleTable) reportInstalled(i uint32) {
	r := &t.rows[i]
	switch {
	case policyOf(r.set).status && t.ofView().lacksMeter(i):
		t.enqueue(i)
		return
	case policyOf(r.set).status:
		t.ofView().setStatus(i, t.ofView().installedStatus(i))
	case !r.state.has(reported):
		t.ready.outcome(r.set, r.rule, ruleset.Installed)
	}
	t.apply(i, ruleInstalled)
	if policyOf(r.set).mortal {
		t.mortals.confirm(i)
	}
	t.objects.Settle(i)
	if len(t.failures.of) > 0 {
		t.failures.clear(i)
	}
	t.displacedBy(i)
}

// reportOpen reports that a rule that is wanted is not known to be held, any more or yet.
func (t *ruleTable) reportOpen(i uint32) {
	r := &t.rows[i]
	switch {
	case policyOf(r.set).status:
		t.ofView().setStatus(i, t.health.unconfirmed(t.failures.losses(i)))
	case r.state.has(reported):
		t.ready.outcome(r.set, r.rule, ruleset.Lost)
		t.apply(i, ruleOpen)
	}
}

// refuse reports why a rule cannot be installed. It stays wanted, or the order ends: then what the switch held in the
// place before becomes stale.
func (t *ruleTable) refuse(i uint32, e *openflow.ErrorMsg, reason string, now time.Time) {
	r := &t.rows[i]
	if e.Code == openflow.FlowModFailedTableFull && !t.tableFull {
		t.tableFull = true
		t.raise(netview.AlarmTableFull, "refuses rules: its table is full")
	}
	if policyOf(r.set).keeps {
		t.failures.refused(i, mayPass(e.Code), now)
		t.ofView().setStatus(i, ruleStatus{netview.RuleFailed, reason})
		return
	}
	t.ready.refuse(r.set, r.rule, e.Code, reason)
	t.mortals.forget(i)
	if r.state.holds(holdsNothing) {
		t.freeRow(i)
		return
	}
	t.apply(i, ruleRefused)
	t.objects.Unwant(i)
	t.schedulePrune(now.Add(t.config.Grace))
}

// endRemoved ends a row that is not wanted and whose entry the switch does not hold.
func (t *ruleTable) endRemoved(i uint32) {
	if r := &t.rows[i]; r.state.wants(wantsRemoval) {
		t.ready.outcome(r.set, r.rule, ruleset.Removed)
	}
	t.freeRow(i)
}

// displacedBy forgets the foreign entry that a row's rule replaced, if there was one.
func (t *ruleTable) displacedBy(i uint32) {
	if t.foreign.count() > 0 {
		t.foreign.displaced(t.place(i).key())
	}
}

// ofView takes and knows what the view desires.
func (t *ruleTable) ofView() viewRules { return viewRules{ruleOrders{t}} }

// name returns a row's place, for people.
func (t *ruleTable) name(i uint32) string {
	r := &t.rows[i]
	owner := ownerOf(r.set)
	if v := t.view[i]; v != nil {
		owner = v.rule.Owner
	}
	rule := r.set.Rule(int(r.rule), 0, t.singleTable)
	return fmt.Sprintf("%s's rule table=%d priority=%d match=%s", owner, rule.Table, rule.Priority, rule.Match.String())
}
