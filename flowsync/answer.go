package flowsync

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// onSent records how much of the batch in flight the session has accepted.
func (c *Core) onSent(sw *switchState, in Sent, now time.Time) {
	f := sw.inflight
	if f == nil {
		return
	}
	if f.compact != nil {
		c.onSentCompact(sw, in)
	}
	for range min(in.Messages, len(f.ops)-f.sent) {
		o := &f.ops[f.sent]
		if o.row != nil {
			c.counters.FlowMods++
			o.row.mayHold = true
		} else {
			c.counters.MeterMods++
		}
		f.sent++
	}
	if in.Barrier {
		f.barrierSent = now
		c.counters.Barriers++
		return
	}
	c.counters.Full++
	sw.resendAt = now.Add(c.config.Resend)
}

// onRefused records an error for the message it answers. It takes effect with the barrier reply.
func (c *Core) onRefused(sw *switchState, in Refused) {
	f := sw.inflight
	if f == nil || f.id != in.Batch || in.Index >= f.sent {
		return
	}
	if f.compact != nil {
		f.compact.markRefused(in.Index, &in.Error)
		c.counters.Refused++
		return
	}
	if o := &f.ops[in.Index]; o.refused == nil {
		e := in.Error
		e.Data = nil
		o.refused = &e
		c.counters.Refused++
	}
}

// onConfirmed ends the batch in flight: every message that was not refused has been executed.
func (c *Core) onConfirmed(sw *switchState, in Confirmed, now time.Time) {
	f := sw.inflight
	if f == nil || f.id != in.Batch || f.sent < f.size() {
		return
	}
	if in.Err != nil {
		c.rereadLater(sw, now)
		return
	}
	if f.errorsDropped {
		c.rereadLater(sw, now)
		sw.unanswered, sw.batchUnanswered = 0, false
		return
	}
	sw.inflight, sw.answerDeadline, sw.unanswered, sw.batchUnanswered, sw.driftAlarm = nil, time.Time{}, 0, false, false
	if sw.stuck {
		c.clearStuck(sw)
	}
	c.adaptBatchSize(sw, f.size(), now.Sub(f.barrierSent))
	if f.compact != nil {
		c.compactBatchDone(sw, f.compact, now)
	}
	for i := range f.ops {
		switch o := &f.ops[i]; {
		case o.meter != nil:
			c.meterDone(sw, o)
		case o.rule == nil:
			c.removalDone(sw, o, now)
		default:
			c.additionDone(sw, o, now)
		}
	}
}

func (c *Core) removalDone(sw *switchState, o *op, now time.Time) {
	w := o.row
	w.state = rowIdle
	c.markChanged(sw, w)
	if o.refused == nil {
		w.mayHold, w.contentKnown, w.content = false, false, content{}
	}
	switch {
	case w.rule != nil: // desired again meanwhile
		sw.enqueue(w)
	case o.refused != nil:
		c.failRow(sw, w, o.refused, now)
	default:
		delete(sw.rows, w.key)
		if sw.audit.id != 0 {
			sw.audit.removed[w.key] = true
		}
	}
}

func (c *Core) additionDone(sw *switchState, o *op, now time.Time) {
	w := o.row
	w.state = rowIdle
	c.markChanged(sw, w)
	if o.refused == nil && !o.lost {
		sw.displaced(w.key)
	}
	changed := w.rule == nil || w.rule.Owner != o.rule.Owner || !contentOf(w.rule).same(contentOf(o.rule))
	switch {
	case o.refused == nil && o.lost:
		w.mayHold, w.contentKnown = true, false // the entry may be there, changed
		if w.rule == nil || changed {
			sw.enqueue(w)
			return
		}
		c.drift(sw, w, o.lostBy, now)
	case o.refused == nil && changed:
		w.contentKnown, w.content = true, content{o.rule.Cookie, o.instructions}
		sw.enqueue(w)
	case o.refused == nil && c.needsReading(sw, w):
		w.contentKnown, w.content = true, content{o.rule.Cookie, o.instructions}
		sw.scheduleAudit(now.Add(c.config.RetryFirst))
	case o.refused == nil:
		c.installed(sw, w, w.rule, o.instructions)
	case changed:
		sw.enqueue(w)
	case meterOf(o.instructions) != 0 && mayConcernMeter(o.refused.Code):
		c.counters.Retries++
		w.unmetered = true
		sw.enqueue(w)
	default:
		c.failRow(sw, w, o.refused, now)
	}
}

// failRow reports a refusal, and schedules a retry if it may be temporary.
func (c *Core) failRow(sw *switchState, w *row, e *openflow.ErrorMsg, now time.Time) {
	w.fails++
	if w.rule == nil || mayPass(e.Code) {
		w.retryAt = now.Add(c.config.backoff(w.fails))
		sw.retries = append(sw.retries, w)
	}
	c.report(w, ruleStatus{netview.RuleFailed, refusalText(e, sw.version)})
}

// retryDue queues the failed rows whose backoff has ended.
func (c *Core) retryDue(sw *switchState, now time.Time) {
	sw.retries = slices.DeleteFunc(sw.retries, func(w *row) bool {
		changed := w.retryAt.IsZero() || sw.rows[w.key] != w // or settled since
		if !changed && reached(w.retryAt, now) {
			w.retryAt = time.Time{}
			c.counters.Retries++
			sw.enqueue(w)
			return true
		}
		return changed
	})
}
