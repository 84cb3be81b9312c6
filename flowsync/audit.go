package flowsync

import (
	"maps"
	"time"

	"github.com/weirnet/weir/netview"
)

// audit is a reading of a switch while it is written to all the same. What is written between request and answer is
// not compared: the listing may have been made before or after.
type audit struct {
	id    uint64            // of the request; 0 if none is under way
	began uint64            // ledger.moves then
	at    time.Time         // when it was asked for
	by    time.Time         // when it has failed
	gone  map[entryKey]bool // entries that were removed since
}

// auditBy has the switch read at t, or before, while it goes on being written to.
func (l *ledger) auditBy(t time.Time) {
	if l.auditAt.IsZero() || t.Before(l.auditAt) {
		l.auditAt = t
	}
}

// moved notes that what a switch is told, or tells, of a row's place has changed.
func (c *Core) moved(l *ledger, w *row) {
	l.moves++
	w.moved = l.moves
}

// beginAudit asks for the switch's entries.
func (c *Core) beginAudit(l *ledger, now time.Time) {
	l.auditAt = time.Time{}
	c.requests++
	l.programs.beginListing()
	l.audit = audit{id: c.requests, began: l.moves, at: now, by: now.Add(c.config.Answer), gone: make(map[entryKey]bool)}
	l.filtered = l.byCookie && l.misread%2 == 1
	l.checking, l.asked = l.asked, false
	c.counters.Readings++
	c.ready.Readings = append(c.ready.Readings, c.request(l, c.requests))
}

// endAudit compares what a switch holds with what it is known to hold, and has differences put right.
func (c *Core) endAudit(l *ledger, in Entries, now time.Time) {
	a := l.audit
	l.audit, l.took = audit{}, now.Sub(a.at)
	if in.Err != nil {
		l.misread++
		l.programs.dropGone()
		l.auditBy(now.Add(c.config.backoff(l.misread)))
		c.answerCheck(l, Findings{Err: in.Err})
		return
	}
	l.misread = 0
	c.learnCost(l, in.Cost)
	f := Findings{}
	rows := l.keys()
	l.sort(&in.Reading)
	for _, key := range rows {
		w := l.rows[key]
		e := l.stale[key]
		delete(l.stale, key)
		delete(l.soft, key)
		f.Wanted++
		if w.moved > a.began || w.state != rowIdle {
			f.InFlight++
			continue
		}
		f.Compared++
		c.auditRow(l, w, e, &f, now)
	}
	c.listed(l, &in.Reading.Programs)
	c.auditPrograms(l, &f, now)
	maps.DeleteFunc(l.stale, func(key entryKey, _ *Entry) bool { return a.gone[key] })
	maps.DeleteFunc(l.soft, func(key entryKey, _ *SoftEntry) bool { return a.gone[key] })
	c.dropSoft(l)
	if l.owed = l.owed && f.InFlight > 0; l.owed { // some were not compared, and nobody will tell of them
		l.auditBy(now.Add(c.config.RetryFirst))
	}
	f.extra(l.stale)
	f.Foreign = len(l.foreign) + l.unkept
	if l.checking {
		f.Shadows, f.Shadowed = l.shadows(ShadowsMax)
	}
	c.answerCheck(l, f)
	c.pace(l, now, false)
}

// auditRow compares one row, of which nothing is under way, with the entry that the switch holds in its place.
func (c *Core) auditRow(l *ledger, w *row, e *Entry, f *Findings, now time.Time) {
	other := l.foreign[w.key]
	if w.rule == nil { // a removal that waits for another try
		if w.held = e != nil; !w.held {
			l.enqueue(w)
		}
		return
	}
	was := w.known
	if w.held, w.known, w.on = false, false, (content{}); e != nil {
		w.hold(e)
	}
	held := c.holds(l, w, l.instructionsOf(w))
	switch {
	case held && w.outcome.state != netview.RuleInstalled:
		c.installed(l, w, w.rule, l.instructionsOf(w))
	case held:
		if !l.lying {
			w.losses = w.lossesAfter(now, c.config.LieWindow)
		}
	case was || w.outcome.state == netview.RuleInstalled:
		f.add(l, w, e, other)
		if w.retryAt.IsZero() {
			c.drift(l, w, SourceReading, now)
		}
	case w.blocked && other == nil:
		l.enqueue(w)
	case w.outcome.state == netview.RuleFailed:
		f.Failed++
	}
}

// lossesAfter is how often a rule was lost in the time that counts.
func (w *row) lossesAfter(now time.Time, window time.Duration) int {
	if now.Sub(w.lostSince) > window {
		return 0
	}
	return w.losses
}
