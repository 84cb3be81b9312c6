package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// troubled is a row's trouble, made if it had none.
func (p *programs) troubled(i uint32) *trouble {
	t := p.troubles[i]
	if t == nil {
		if p.troubles == nil {
			p.troubles = make(map[uint32]*trouble)
		}
		t = &trouble{}
		p.troubles[i] = t
	}
	return t
}

// retry has a row looked at again at a time.
func (p *programs) retry(i uint32, t *trouble, at time.Time) {
	if t.retryAt.IsZero() {
		p.retries = append(p.retries, i)
	}
	if t.retryAt = at; p.retryAt.IsZero() || at.Before(p.retryAt) {
		p.retryAt = at
	}
}

// retryPrograms puts rows whose time has come into the queue.
func (c *Core) retryPrograms(l *ledger, now time.Time) {
	p := l.programs
	if p == nil || !passed(p.retryAt, now) {
		return
	}
	kept := p.retries[:0]
	p.retryAt = time.Time{}
	for _, i := range p.retries {
		t := p.troubles[i]
		switch {
		case t == nil || t.retryAt.IsZero(): // changed or settled since
		case t.retryAt.After(now):
			kept = append(kept, i)
			if p.retryAt.IsZero() || t.retryAt.Before(p.retryAt) {
				p.retryAt = t.retryAt
			}
		default:
			t.retryAt = time.Time{}
			c.counters.Retries++
			l.wait(i)
		}
	}
	p.retries = kept
}

// driftRule has a rule put back that the switch was known to hold and does not hold as it should, as drift has other rows.
func (c *Core) driftRule(l *ledger, i uint32, s Source, now time.Time) {
	p := l.programs
	r := &p.rows[i]
	c.counters.Repairs++
	c.counters.Drift[s]++
	p.lost++
	p.lostBy = s
	t := p.troubled(i)
	if t.losses == 0 || !l.lying && now.Sub(t.lostSince) > c.config.LieWindow {
		t.losses, t.lostSince = 0, now
	}
	t.losses++
	c.lose(l, i)
	p.set(i, rowMoved, rowSure)
	if t.losses >= c.config.LieCount {
		c.distrust(l, l.nameOf(r), t.losses, t.lostSince, now)
	}
	pause := c.pause(l, t.losses)
	if s == SourceReading { // whether it is held this time is seen by reading only
		l.auditBy(now.Add(pause + c.config.RetryFirst))
	}
	switch {
	case r.flags&(rowWaits|rowFlies) != 0:
	case pause > 0:
		p.retry(i, t, now.Add(pause))
	default:
		l.wait(i)
	}
}

// lose tells that a rule is not installed any more, if that was told.
func (c *Core) lose(l *ledger, i uint32) {
	if r := &l.programs.rows[i]; r.flags&rowTold != 0 {
		c.outcome(r.program, r.rule, OrderLost)
		l.programs.set(i, 0, rowTold)
	}
}

// nameOf is a row's place, for people.
func (l *ledger) nameOf(r *programRow) string {
	rule := r.program.Rule(int(r.rule), 0, l.single)
	return fmt.Sprintf("%s: table=%d priority=%d match=%s", ownerOf(r.program), rule.Table, rule.Priority, rule.Match.String())
}

// tellLost raises the alarm for what was lost in this step.
func (c *Core) tellLost(l *ledger) {
	if p := l.programs; p != nil && p.lost > 0 {
		c.alarmDrift(l, fmt.Sprintf("%d rules of intents were lost or changed: they are put back (noticed by %s)", p.lost, p.lostBy))
		p.lost = 0
	}
}

// doubtedRule says whether a barrier is not enough for a rule to be called installed.
func (c *Core) doubtedRule(l *ledger, i uint32) bool {
	if !l.lying {
		return false
	}
	t := l.programs.troubles[i]
	return t != nil && t.losses >= c.config.LieCount
}

// waitingRule is what is said of a rule that is not confirmed.
func (c *Core) waitingRule(l *ledger, i uint32) verdict {
	switch {
	case l.stuck:
		return verdict{netview.RuleFailed, netview.ReasonUnanswered}
	case c.doubtedRule(l, i):
		return verdict{netview.RuleFailed, fmt.Sprintf("%s: lost %d times", netview.ReasonNotKept, l.programs.troubles[i].losses)}
	}
	return pending
}

// tookRule takes the news that the entry in a row's place went; of others says that it was not one of ours.
func (c *Core) tookRule(l *ledger, i uint32, ofOthers bool, s Source, now time.Time) {
	p := l.programs
	r := &p.rows[i]
	p.set(i, rowMoved, 0)
	switch {
	case r.flags&rowFlies != 0:
		p.loseRule(i, s)
	case ofOthers && r.flags&rowSure != 0: // ours took its place
	case r.flags&rowWanted == 0 && r.flags&rowHeld != 0 && !ofOthers:
		p.heldIs(i, false)
		if r.flags&rowWaits == 0 {
			c.endGone(l, i)
		}
	case r.flags&(rowWanted|rowSure) == rowWanted|rowSure:
		p.heldIs(i, false)
		c.driftRule(l, i, s, now)
	case r.flags&rowWanted != 0:
		p.heldIs(i, false)
		l.wait(i)
	}
}

// putRule takes the news that an entry was added or changed in a row's place.
func (c *Core) putRule(l *ledger, i uint32, e *Entry, now time.Time) {
	p := l.programs
	r := &p.rows[i]
	p.set(i, rowMoved, 0)
	foreign := plan.Foreign(e.Cookie, c.config.Domain)
	if r.flags&rowFlies != 0 {
		if o := p.flights.adding(i); o != nil && (foreign || !l.ruleIs(o.program, o.rule, e)) {
			p.loseRule(i, SourceMonitor)
		}
		return
	}
	switch is := !foreign && l.ruleIs(r.program, r.rule, e); {
	case r.flags&rowWanted == 0 && foreign: // ours is gone
		p.heldIs(i, false)
		l.wait(i)
	case r.flags&rowWanted == 0:
		p.heldIs(i, true)
		if r.flags&(rowRemoval|rowGoing) != 0 {
			l.wait(i)
		}
	case is:
		p.set(i, rowHeld|rowSure, 0)
		if r.flags&rowTold == 0 {
			l.wait(i)
		}
	case r.flags&(rowSure|rowTold) != 0:
		p.set(i, rowHeld, rowSure)
		c.driftRule(l, i, SourceMonitor, now)
	default:
		p.set(i, rowHeld, rowSure)
	}
}

// removedRules takes the news that entries went from the switch, most of them because they were removed.
func (c *Core) removedRules(l *ledger, packed *Packed, now time.Time) {
	for b := packed.bytes; len(b) > 0 && l.programs != nil; {
		var e packedEntry
		e, b = nextPacked(b)
		if i, ok := l.programs.find(e.place, e.place.hash()); ok {
			c.removedRule(l, i, now)
		}
	}
}

// removedRule takes the news that the entry in a row's place went.
func (c *Core) removedRule(l *ledger, i uint32, now time.Time) {
	switch {
	case l.phase == phaseReading: // the listing that comes may have been made before
		l.programs.set(i, rowMoved, 0)
		c.lose(l, i)
	case l.watch == WatchMonitor: // which tells too, and in order with our own changes
	default:
		c.tookRule(l, i, false, SourceRemoved, now)
	}
}

// adding is the flow-mod under way that adds a row's rule, nil if there is none.
func (f *programFlight) adding(row uint32) *programOp {
	for i := range f.ops {
		if o := &f.ops[i]; o.row == row && o.adds {
			return o
		}
	}
	return nil
}

// rowAt is the row in the place that a key names; false if there is none.
func (l *ledger) rowAt(key entryKey) (uint32, bool) {
	if l.programs == nil {
		return 0, false
	}
	a, ok := l.placeIn(key)
	if !ok {
		return 0, false
	}
	return l.programs.find(a, a.hash())
}

// changeRule takes a change that a flow monitor tells of, if it is about the place of a program's rule or an entry of the owner of one; false if
// it is not.
func (c *Core) changeRule(l *ledger, key entryKey, ch *Change, now time.Time) bool {
	foreign, gone := plan.Foreign(ch.Entry.Cookie, c.config.Domain), ch.Event == openflow.FlowDeleted
	i, ok := l.rowAt(key)
	switch {
	case ok && gone:
		c.tookRule(l, i, foreign, SourceMonitor, now)
	case ok:
		c.putRule(l, i, &ch.Entry, now)
	case foreign || gone || plan.Decode(ch.Entry.Cookie).Kind != plan.KindIntent:
		return false
	default:
		a, placed := l.placeIn(key)
		if placed {
			l.strange(a, &ch.Entry)
		}
		return placed
	}
	return true
}
