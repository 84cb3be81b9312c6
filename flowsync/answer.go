package flowsync

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// sent notes how much of the batch under way has left.
func (c *Core) sent(l *ledger, in Sent, now time.Time) {
	f := l.flight
	if f == nil {
		return
	}
	if f.programs != nil {
		c.sentPrograms(l, in)
	}
	for _, xid := range in.XIDs {
		if f.sent == len(f.ops) {
			break
		}
		o := &f.ops[f.sent]
		o.xid = xid
		if o.row != nil {
			c.counters.FlowMods++
			o.row.held = true
		} else {
			c.counters.MeterMods++
		}
		f.sent++
	}
	if in.Barrier {
		f.at = now
		c.counters.Barriers++
		return
	}
	c.counters.Full++
	l.resendAt = now.Add(c.config.Resend)
}

// refused notes an error against the message that it answers; the barrier's reply decides.
func (c *Core) refused(l *ledger, in Refused) {
	if l.flight == nil {
		return
	}
	if f := l.flight.programs; f != nil {
		if l.flight.sent > 0 && f.refusedRule(in.XID, &in.Error) {
			c.counters.Refused++
		}
		return
	}
	for i := range l.flight.ops[:l.flight.sent] {
		if o := &l.flight.ops[i]; o.xid == in.XID && o.refused == nil {
			e := in.Error
			e.Data = nil
			o.refused = &e
			c.counters.Refused++
			return
		}
	}
}

// confirmed ends the batch under way: all in it that was not refused has been done.
func (c *Core) confirmed(l *ledger, in Confirmed, now time.Time) {
	f := l.flight
	if f == nil || f.id != in.Batch || f.sent < f.size() {
		return
	}
	if in.Err != nil {
		c.reread(l, now)
		return
	}
	if f.missed {
		c.reread(l, now)
		l.silent, l.unconfirmed = 0, false
		return
	}
	l.flight, l.answerBy, l.silent, l.unconfirmed, l.drifted = nil, time.Time{}, 0, false, false
	if l.stuck {
		c.unstick(l)
	}
	c.learn(l, f.size(), now.Sub(f.at))
	if f.programs != nil {
		c.endPrograms(l, f.programs, now)
	}
	for i := range f.ops {
		switch o := &f.ops[i]; {
		case o.meter != nil:
			c.endMeter(l, o)
		case o.rule == nil:
			c.endRemoval(l, o, now)
		default:
			c.endAddition(l, o, now)
		}
	}
}

func (c *Core) endRemoval(l *ledger, o *op, now time.Time) {
	w := o.row
	w.state = rowIdle
	c.moved(l, w)
	if o.refused == nil {
		w.held, w.known, w.on = false, false, content{}
	}
	switch {
	case w.rule != nil: // wanted again meanwhile
		l.enqueue(w)
	case o.refused != nil:
		c.fail(l, w, o.refused, now)
	default:
		delete(l.rows, w.key)
		if l.audit.id != 0 {
			l.audit.gone[w.key] = true
		}
	}
}

func (c *Core) endAddition(l *ledger, o *op, now time.Time) {
	w := o.row
	w.state = rowIdle
	c.moved(l, w)
	if o.refused == nil && !o.lost {
		l.displaced(w.key)
	}
	changed := w.rule == nil || w.rule.Owner != o.rule.Owner || !contentOf(w.rule).same(contentOf(o.rule))
	switch {
	case o.refused == nil && o.lost:
		w.held, w.known = true, false // it may have been changed, and be there
		if w.rule == nil || changed {
			l.enqueue(w)
			return
		}
		c.drift(l, w, o.lostBy, now)
	case o.refused == nil && changed:
		w.known, w.on = true, content{o.rule.Cookie, o.instructions}
		l.enqueue(w)
	case o.refused == nil && c.doubted(l, w):
		w.known, w.on = true, content{o.rule.Cookie, o.instructions}
		l.auditBy(now.Add(c.config.RetryFirst))
	case o.refused == nil:
		c.installed(l, w, w.rule, o.instructions)
	case changed:
		l.enqueue(w)
	case meterOf(o.instructions) != 0 && forMeter(o.refused.Code):
		c.counters.Retries++
		w.unmetered = true
		l.enqueue(w)
	default:
		c.fail(l, w, o.refused, now)
	}
}

// fail reports a refusal and has it tried again if it may pass.
func (c *Core) fail(l *ledger, w *row, e *openflow.ErrorMsg, now time.Time) {
	w.fails++
	if w.rule == nil || passing(e.Code) {
		w.retryAt = now.Add(c.config.backoff(w.fails))
		l.retries = append(l.retries, w)
	}
	c.tell(w, verdict{netview.RuleFailed, reasonOf(e, l.version)})
}

// retry puts failed rows whose time has come into the queue.
func (c *Core) retry(l *ledger, now time.Time) {
	kept := l.retries[:0]
	for _, w := range l.retries {
		switch {
		case w.retryAt.IsZero() || l.rows[w.key] != w: // changed or settled since
		case w.retryAt.After(now):
			kept = append(kept, w)
		default:
			w.retryAt = time.Time{}
			c.counters.Retries++
			l.enqueue(w)
		}
	}
	clear(l.retries[len(kept):])
	l.retries = kept
}
