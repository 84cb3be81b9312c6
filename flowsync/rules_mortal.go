package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// mortals are the rows whose entries have time-outs: those of orders (ruleset.Mortal), and what was found of an earlier
// run. Others have none: the map is empty where nobody orders such rules.
type mortals struct {
	of       map[uint32]*life
	ending   []uint32  // rows with life.endAt, and some that have none any more
	endingAt time.Time // the earliest; zero if there is none
}

// life is what is known of a row's entry.
type life struct {
	// began is when the entry was sent or, of one that was listed, began at the earliest: it ends by a time-out no
	// earlier than that much later.
	began time.Time
	// until is when the time of the rule is over, however often it is put back; zero: it has no hard time-out, or was
	// never confirmed.
	until time.Time
	endAt time.Time // the flow monitor says that a time-out ended it: when its counters are not waited for any more
	hard  uint16    // the hard time-out that the entry has, in seconds: the rule's or, where it was put back, what was left
	alive bool      // the switch has held the entry, and nobody is known to have removed it
	doubt bool      // a time-out ended this entry or the one before in its place, while this one was in flight
}

// countsWait is how long the counters of an entry are waited for that the flow monitor says has ended: Open vSwitch
// sends the flow-removed message after that.
const countsWait = time.Second

// due returns when the hard time-out is over, zero if there is none.
func (l *life) due() time.Time {
	if l.until.IsZero() && l.hard > 0 {
		return l.began.Add(time.Duration(l.hard) * time.Second)
	}
	return l.until
}

// early reports whether an entry that a time-out has ended by now is older than this one. Clocks of switches may be off
// by a thousandth.
func (l *life) early(idle uint16, now time.Time) bool {
	least := l.hard
	if least == 0 || idle > 0 && idle < least {
		least = idle
	}
	return now.Sub(l.began) < time.Duration(least)*999*time.Millisecond
}

func (m *mortals) at(i uint32) *life {
	is := m.of[i]
	if is == nil {
		if m.of == nil {
			m.of = make(map[uint32]*life)
		}
		is = &life{}
		m.of[i] = is
	}
	return is
}

// forget forgets all of a row.
func (m *mortals) forget(i uint32) { delete(m.of, i) }

// lose notes that the entry may be gone, or changed, by somebody's doing.
func (m *mortals) lose(i uint32) {
	if is := m.of[i]; is != nil {
		is.alive, is.endAt = false, time.Time{}
	}
}

// sent notes that an entry with this hard time-out is being sent.
func (m *mortals) sent(i uint32, hard uint16, now time.Time) {
	is := m.at(i)
	is.began, is.hard, is.doubt = now, hard, false
}

// listed notes that the switch lists an entry that is the row's rule, in a listing that was asked for at a time.
func (m *mortals) listed(i uint32, e *packedEntry, asked time.Time) {
	if len(e.times) == 0 {
		return
	}
	is := m.at(i)
	is.began, is.hard, is.alive, is.endAt = asked.Add(-e.age()), e.hard(), true, time.Time{}
}

// seen notes that the flow monitor reports an entry that is the row's rule: somebody has written it, or put it back.
func (m *mortals) seen(i uint32, set *ruleset.Set, hard uint16, now time.Time) {
	if set.Mortal() {
		is := m.at(i)
		is.began, is.hard, is.alive, is.endAt = now, hard, true, time.Time{}
	}
}

// confirm notes that the switch holds a rule that is wanted.
func (m *mortals) confirm(i uint32) {
	if is := m.of[i]; is != nil {
		is.alive, is.until = true, is.due()
	}
}

// knows reports whether it is known since when a rule of a set is in flight, if it is mortal: an order for another one,
// and again for this, has come meanwhile.
func (m *mortals) knows(i uint32, set *ruleset.Set) bool {
	return !policyOf(set).mortal || m.of[i] != nil
}

// ends reports whether a time-out has ended a row's entry, and its counters are waited for.
func (m *mortals) ends(i uint32) bool {
	is := m.of[i]
	return is != nil && !is.endAt.IsZero()
}

// hardOf returns the hard time-out that an entry has which is a row's rule, of a set.
func (m *mortals) hardOf(i uint32, set *ruleset.Set) uint16 {
	if is := m.of[i]; is != nil && set.Hard > 0 {
		return is.hard
	}
	return set.Hard
}

// left returns the hard time-out for a row's rule in seconds: what is left of it, at least 1; 0 if it has none.
func (m *mortals) left(i uint32, set *ruleset.Set, now time.Time) uint16 {
	is := m.of[i]
	if is == nil || is.until.IsZero() {
		return set.Hard
	}
	return uint16(max(1, (is.until.Sub(now)+time.Second-1)/time.Second))
}

// isRest reports whether an entry of an earlier run with these time-outs may be a rule of a set that was put back for what
// was left of its time. It may also be of an order for another time, which nothing tells apart: the rule that ends too
// early can be ordered again.
func isRest(set *ruleset.Set, idle, hard uint16) bool {
	return policyOf(set).mortal && idle == set.Idle && 0 < hard && hard < set.Hard
}

// mortalRules ends the rules whose entries the switch lets end.
type mortalRules struct{ *ruleTable }

// misfit returns why a set's rules cannot be ordered, "" if they can: time-outs go with the policy, and flowsync does not
// know entries of soft kinds.
func misfit(set *ruleset.Set) string {
	switch mortal := policyOf(set).mortal; {
	case mortal != set.Mortal():
		return "rules with time-outs, and no others, are ordered as mortal ones"
	case mortal && set.Kind.Soft():
		return fmt.Sprintf("entries of the kind %s are soft, and nobody's to order", set.Kind)
	}
	return ""
}

// end ends a row's rule by a time-out; last are the entry's counters, nil if they are not known. What the switch may hold
// in the place, of somebody's doing, is removed.
func (t mortalRules) end(i uint32, last *ruleset.Counts) {
	r := &t.rows[i]
	t.ready.Outcomes = append(t.ready.Outcomes,
		ruleset.Outcome{Rules: r.set, Rule: r.rule, Result: ruleset.Ended, Last: last})
	t.apply(i, ruleEnded)
	t.objects.Unwant(i)
	t.failures.forget(i)
	t.mortals.forget(i)
	switch {
	case t.phase != phaseReady: // the listing, which may be older, tells what becomes of the row
	case !r.state.holds(holdsNothing):
		t.apply(i, pruneDue)
		t.enqueue(i)
	case !r.state.moves(): // else when its turn comes
		t.freeRow(i)
	}
}

// over reports whether none of the time of a row's rule is left, or its entry has ended by itself.
func (t mortalRules) over(i uint32, now time.Time) bool {
	is := t.mortals.of[i]
	return is != nil && t.rows[i].state.wants(wantsRule) && (!is.endAt.IsZero() || reached(is.until, now))
}

// spent ends a row's rule, which would have to be put back, if its time is over.
func (t mortalRules) spent(i uint32, now time.Time) bool {
	if !t.over(i, now) {
		return false
	}
	t.end(i, nil)
	return true
}

// ended ends a row's rule if a listing shows that its entry is gone, and not by somebody's doing as far as is known. Of
// one with an idle time-out it cannot be known whether that ended it or it was lost: a rule that may have ended is not
// revived, since its owner can order it again, and cannot undo that packets are taken which nobody wants taken.
func (t mortalRules) ended(i uint32, now time.Time) bool {
	is, r := t.mortals.of[i], &t.rows[i]
	if is == nil || !r.state.wants(wantsRule) || r.state&inFlight != 0 || r.state.holds(holdsRule) {
		return false
	}
	gone := r.state.holds(holdsNothing) && is.alive
	if gone && (r.set.Idle > 0 || !is.endAt.IsZero() || reached(is.due(), now)) {
		t.end(i, nil)
		return true
	}
	t.mortals.lose(i)
	return false
}

// doubted ends a row's rule that the switch has confirmed, if it may have ended in flight: the switch has taken longer
// than a time-out to confirm it.
func (t mortalRules) doubted(i uint32) bool {
	if is := t.mortals.of[i]; !is.doubt {
		return false
	}
	t.end(i, nil)
	return true
}

// timedOut handles a notice that a time-out ended an entry with a cookie in a row's place: a flow-removed message, with the
// entry's counters, or one of the flow monitor. It returns false if the notice means no more than that the place is empty.
func (l *ruleListing) timedOut(i uint32, cookie uint64, last *ruleset.Counts, now time.Time) bool {
	is, r := l.mortals.of[i], &l.rows[i]
	c := plan.Decode(cookie)
	if is == nil || !r.state.wants(wantsRule) || c.Kind != r.set.Kind || c.Owner != r.set.Number ||
		plan.Foreign(cookie, l.config.Domain) {
		return false
	}
	if is.early(r.set.Idle, now) { // the row's entry replaced it
		if l.phase == phaseReading {
			return false
		}
		if r.state&inFlight == 0 {
			l.reading.scheduleAudit(now.Add(l.config.RetryFirst))
		}
		return true
	}
	switch {
	case r.state&inFlight != 0:
		is.doubt = true
		return true
	case !is.alive:
		return false
	}
	l.apply(i, noticeCame)
	l.apply(i, entryGone)
	if last != nil || l.phase == phaseReading {
		mortalRules{l.ruleTable}.end(i, last)
		return true
	}
	is.endAt = now.Add(countsWait)
	if l.mortals.ending = append(l.mortals.ending, i); l.mortals.endingAt.IsZero() {
		l.mortals.endingAt = is.endAt
	}
	return true
}

// endDue ends the rules whose entries have ended and whose counters have not come.
func (t mortalRules) endDue(now time.Time) {
	m := &t.mortals
	if !reached(m.endingAt, now) {
		return
	}
	due, kept := m.ending, m.ending[:0]
	m.endingAt = time.Time{}
	for _, i := range due {
		switch is := m.of[i]; {
		case is == nil || is.endAt.IsZero(): // ended or changed since
		case !reached(is.endAt, now):
			if kept = append(kept, i); m.endingAt.IsZero() || is.endAt.Before(m.endingAt) {
				m.endingAt = is.endAt
			}
		default:
			t.end(i, nil)
		}
	}
	m.ending = kept
}

// endAll ends them with the session: no counters will come.
func (t mortalRules) endAll() {
	for _, i := range t.mortals.ending {
		if t.mortals.ends(i) {
			t.end(i, nil)
		}
	}
	t.mortals.ending, t.mortals.endingAt = nil, time.Time{}
}

// timedOut reports whether a reason for which a switch removes an entry is a time-out.
func timedOut(reason openflow.FlowRemovedReason) bool {
	return reason == openflow.RemovedIdle || reason == openflow.RemovedHard
}

// timesText is time-outs for people, with a space before; empty if there are none.
func timesText(idle, hard uint16) (text string) {
	if idle > 0 {
		text += fmt.Sprintf(" idle_timeout=%d", idle)
	}
	if hard > 0 {
		text += fmt.Sprintf(" hard_timeout=%d", hard)
	}
	return text
}

// check verifies what must hold of a row's life; idle: the row waits for nothing, at a switch whose entries are known.
func (m *mortals) check(v *invariants, t *ruleTable, i uint32, r *ruleRow, idle bool) {
	is, mortal := m.of[i], policyOf(r.set).mortal
	switch {
	case is == nil && mortal && idle && r.state.has(reported):
		v.broken("%s: row %d is called installed, and has no life", t.dpid, i)
	case is == nil:
	case !r.set.Mortal():
		v.broken("%s: row %d has a life and no time-outs", t.dpid, i)
	case !is.until.IsZero() && (!mortal || r.set.Hard == 0 || !r.state.has(confirmed)):
		v.broken("%s: row %d %s is to end at %s", t.dpid, i, r.state, is.until)
	case idle && r.state.wants(wantsRule) && r.state.holds(holdsRule) && !is.alive:
		v.broken("%s: row %d holds the rule, and is not alive", t.dpid, i)
	case !is.endAt.IsZero() && (!is.alive || t.phase == phaseDown || m.endingAt.IsZero() || is.endAt.Before(m.endingAt)):
		v.broken("%s: row %d %s ends at %s, the first at %s", t.dpid, i, r.state, is.endAt, m.endingAt)
	}
}
