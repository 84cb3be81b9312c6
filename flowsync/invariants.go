package flowsync

import (
	"fmt"
	"slices"

	"github.com/weirnet/weir/netview"
)

// invariants is the first invariant that does not hold.
type invariants struct{ err error }

// broken records that one does not hold.
func (v *invariants) broken(format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf("flowsync: "+format, args...)
	}
}

// Check verifies what must hold between two steps, of each switch and of what they share. It takes a while for each
// row: it is for tests, which call it after each step.
func (c *Core) Check() error {
	v := &invariants{}
	c.check(v)
	return v.err
}

// Invariants is Core.Check of a loop. It is called by who has the turn.
func Invariants(l *Loop) error { return l.core.Check() }

// Repairs is Counters.Repairs of a loop. It is called by who has the turn.
func Repairs(l *Loop) uint64 { return l.core.counters.Repairs }

func (c *Core) check(v *invariants) {
	rules, bytes, leftover, queued, busy := 0, 0, 0, 0, 0
	for _, dpid := range c.dpids() {
		sw := c.switches[dpid]
		checkSwitch(sw, v)
		rules += sw.reading.weight
		bytes += sw.soft.bytes + sw.rules.foundBytes
		leftover += sw.soft.counted
		if sw.batch.behind != nil {
			busy++
		}
		if sw.reading.queued != slices.Contains(c.readQueue.waiting, sw) {
			v.broken("%s: in the read queue or not: %t", dpid, sw.reading.queued)
		}
		if sw.reading.queued {
			queued++
		}
	}
	q := &c.readQueue
	if rules != q.rules || queued > len(q.waiting) || len(q.waiting) > 0 && rules == 0 && q.until.IsZero() {
		v.broken("%d switches wait for those being read, of a weight of %d, counted as %d", len(q.waiting), rules, q.rules)
	}
	if busy != c.busy {
		v.broken("%d switches have two batches in flight, counted as %d", busy, c.busy)
	}
	if bytes != c.listedBytes || leftover != c.leftover {
		v.broken("%d bytes of listings and %d leftover entries, counted as %d and %d", bytes, leftover,
			c.listedBytes, c.leftover)
	}
}

// checkSwitch verifies what must hold of a switch between two steps: of its parts, and between them.
func checkSwitch(sw *switchCore, v *invariants) {
	sw.health.check(v)
	sw.reading.check(v)
	sw.batch.check(v)
	sw.soft.check(v)
	sw.foreign.check(v)
	sw.notices.check(v)
	sw.objects.check(v, sw)
	var sending []*ruleBatch
	for _, f := range []*inflightBatch{sw.batch.inflight, sw.batch.behind} {
		if f != nil && f.rules != nil {
			sending = append(sending, f.rules)
		}
	}
	sw.rules.check(v, sending)
	switch {
	case sw.checks.running && sw.reading.audit.id == 0 || sw.checks.requested && sw.phase == phaseDown:
		v.broken("%s: findings wait for audit %d in phase %d", sw.dpid, sw.reading.audit.id, sw.phase)
	case len(sending) == 2 && sending[0] == sending[1]:
		v.broken("%s: a batch is in flight twice", sw.dpid)
	case sw.phase == phaseReading && sw.health.answerDeadline.IsZero() && sw.reading.at.IsZero() && !sw.reading.queued:
		v.broken("%s: waits for a reading that nobody asked for", sw.dpid)
	}
	waits := sw.rules.queue.count > 0 && sw.batch.resendAt.IsZero()
	if waits && sw.phase == phaseReady && sw.batch.inflight == nil && !sw.denied {
		v.broken("%s: rows wait, and nothing is in flight", sw.dpid)
	}
	for key := range sw.soft.at {
		if sw.listing.hasRow(key) {
			v.broken("%s: %v has a row, and a soft entry of an earlier run", sw.dpid, key)
		}
	}
}

func (h *health) check(v *invariants) {
	switch down := h.phase == phaseDown; {
	case h.stuck && (down || !h.stuckAlarm):
		v.broken("%s: stuck in phase %d, alarm %t", h.dpid, h.phase, h.stuckAlarm)
	case h.lying == h.lyingUntil.IsZero():
		v.broken("%s: lying %t until %s", h.dpid, h.lying, h.lyingUntil)
	case down && (!h.answerDeadline.IsZero() || h.batchUnanswered):
		v.broken("%s: owes answers without a session", h.dpid)
	}
}

func (r *reading) check(v *invariants) {
	switch {
	case r.weight != 0 && r.phase != phaseReading:
		v.broken("%s: is counted among those being read in phase %d", r.dpid, r.phase)
	case r.audit.id != 0 && r.phase != phaseReady || (r.audit.id == 0) != r.audit.deadline.IsZero():
		v.broken("%s: audit %d in phase %d, deadline %s", r.dpid, r.audit.id, r.phase, r.audit.deadline)
	case r.wasRead && r.phase == phaseDown || !r.wasRead && r.phase == phaseReady:
		v.broken("%s: was read %t in phase %d", r.dpid, r.wasRead, r.phase)
	}
}

func (b *batcher) check(v *invariants) {
	if f := b.inflight; f != nil && (b.phase != phaseReady || b.health.answerDeadline.IsZero()) {
		v.broken("%s: a batch is in flight in phase %d without a deadline", b.dpid, b.phase)
	} else if f != nil && (f.size() == 0 || f.sent > f.size()) {
		v.broken("%s: of a batch of %d messages %d are sent", b.dpid, f.size(), f.sent)
	}
	first := b.inflight
	if f := b.behind; f != nil && (first == nil || first.rules == nil || f.rules == nil || first.barrierSent.IsZero()) {
		v.broken("%s: a second batch is in flight, and the first is not of rules that are sent", b.dpid)
	}
	if n := b.pace.limit; b.phase != phaseDown && (n < b.config.BatchMin || n > b.config.BatchMax) {
		v.broken("%s: batches of %d messages", b.dpid, n)
	}
}

func (s *softEntries) check(v *invariants) {
	if s.counted != len(s.at) || s.phase == phaseDown && len(s.at)+s.bytes > 0 {
		v.broken("%s: %d leftover entries, counted as %d, of %d bytes, in phase %d", s.dpid, len(s.at), s.counted, s.bytes,
			s.phase)
	}
}

func (f *foreignEntries) check(v *invariants) {
	if len(f.at) > f.config.ForeignMax || f.overflow < len(f.places) || f.phase == phaseDown && f.count() > 0 {
		v.broken("%s: %d foreign entries and %d more in phase %d", f.dpid, len(f.at), f.overflow, f.phase)
	}
}

func (n *notices) check(v *invariants) {
	if n.phase != phaseReading && (len(n.deferred)+n.deferredBytes > 0 || n.overflow) {
		v.broken("%s: %d changes are deferred in phase %d, more %t", n.dpid, len(n.deferred), n.phase, n.overflow)
	}
}

func (o *switchObjects) check(v *invariants, sw *switchCore) {
	if err := o.Check(); err != nil {
		v.broken("%s: %v", sw.dpid, err)
	}
	for n := range sw.rules.rows {
		if r := &sw.rules.rows[n]; r.set == nil || !r.state.wants(wantsRule) {
			if wants := o.Wants(uint32(n)); wants > 0 {
				v.broken("%s: row %d wants %d objects, and no rule is wanted there", sw.dpid, n, wants)
			}
		} else if _, hop := r.set.At(int(r.rule)); len(hop.Do.Objects()) != o.Wants(uint32(n)) {
			v.broken("%s: row %d wants %d objects, its rule %d", sw.dpid, n, o.Wants(uint32(n)), len(hop.Do.Objects()))
		}
	}
}

// check verifies what must hold of a switch's rows, of which batches are in flight.
func (t *ruleTable) check(v *invariants, sending []*ruleBatch) {
	where := make([]ruleState, len(t.rows))
	for _, i := range t.queue.waiting() {
		if where[i] != 0 {
			v.broken("%s: row %d waits twice", t.dpid, i)
		}
		where[i] = queued
	}
	for _, f := range sending {
		for _, o := range f.ops {
			if where[o.row] != 0 {
				v.broken("%s: row %d is in flight and stands in %s", t.dpid, o.row, where[o.row])
			}
			where[o.row] |= map[bool]ruleState{true: adding, false: removing}[o.adds]
		}
	}
	t.ruleRows.check(v)
	for n := range t.rows {
		switch r := &t.rows[n]; {
		case r.set == nil && where[n] != 0:
			v.broken("%s: row %d is empty, and stands in %s", t.dpid, n, where[n])
		case r.set == nil:
		case r.state&progress != where[n]:
			v.broken("%s: row %d %s, and stands in %s", t.dpid, n, r.state, where[n])
		default:
			t.checkRow(v, uint32(n), where[n])
		}
	}
	for i := range t.mortals.of {
		if t.rows[i].set == nil {
			v.broken("%s: row %d is empty, and has a life", t.dpid, i)
		}
	}
	for i, failed := range t.failures.of {
		if t.failures.waits(i) && (!slices.Contains(t.failures.retries, i) || failed.retryAt.Before(t.failures.retryAt)) {
			v.broken("%s: row %d waits for a retry that does not come", t.dpid, i)
		}
	}
}

// check verifies the index, the list of free rows and the counts.
func (t *ruleRows) check(v *invariants) {
	var count [classes]int
	for n := range t.rows {
		r := &t.rows[n]
		if r.set == nil {
			if !slices.Contains(t.free, uint32(n)) {
				v.broken("row %d is empty and not free", n)
			}
			continue
		}
		count[r.state.class()]++
		a := t.place(uint32(n))
		if i, ok := t.find(a, a.hash()); !ok || i != uint32(n) {
			v.broken("row %d is not found in its place", n)
		}
	}
	if count != t.count {
		v.broken("counts are %v, should be %v", t.count, count)
	}
}

func (t *ruleTable) checkRow(v *invariants, i uint32, where ruleState) {
	r, is := &t.rows[i], t.view[i]
	idle := t.phase == phaseReady && where == 0
	t.mortals.check(v, t, i, r, idle)
	later := t.failures.waits(i) || t.objects.Waits(i) || t.mortals.ends(i)
	audited := !t.reading.auditAt.IsZero() || t.reading.audit.id != 0 // else it is told when the listing has ended
	switch {
	case r.state.wrong() != "":
		v.broken("%s: row %d %s: %s", t.dpid, i, r.state, r.state.wrong())
	case (is != nil) != (policyOf(r.set).status && r.state.wants(wantsRule)):
		v.broken("%s: row %d %s of %s: a rule of the view %t", t.dpid, i, r.state, ownerOf(r.set), is != nil)
	case is != nil && (is.status.state == netview.RuleInstalled) != r.state.has(reported),
		is != nil && (is.status.state == netview.RuleFailed) != r.state.has(failed):
		v.broken("%s: row %d %s is said to be %s", t.dpid, i, r.state, is.status)
	case is != nil && r.set != is.set && r.set != is.bare:
		v.broken("%s: row %d is not the view's rule", t.dpid, i)
	case idle && r.state.has(reported) && !r.state.holds(holdsRule) && !audited && !t.mortals.ends(i):
		v.broken("%s: row %d is called installed, but is not known to be", t.dpid, i)
	case idle && r.state.wants(wantsRule) && r.state&(reported|failed) == 0 && !later && !audited:
		v.broken("%s: row %d is wanted, and nothing is done about it", t.dpid, i)
	case idle && (r.state.wants(wantsRemoval) || r.state.wants(wantsPruning)) && !later:
		v.broken("%s: row %d is to go, and nothing is done about it", t.dpid, i)
	case idle && r.state.class() == classNone && t.reading.audit.id == 0:
		v.broken("%s: row %d is nothing", t.dpid, i)
	}
}
