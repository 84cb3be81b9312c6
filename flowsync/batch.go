package flowsync

import (
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// inflightBatch is the batch in flight: sent at least in part, and not confirmed.
type inflightBatch struct {
	id            uint64
	barrierSent   time.Time
	ops           []op
	messages      []openflow.Message
	compact       *compactBatch // flow-mods of rule sets: ops and messages are then empty
	frames        []byte        // the encoded flow-mods of compact, until they are sent
	sent          int           // number of messages or of compact.ops
	errorsDropped bool          // errors of the switch were dropped: the barrier reply does not confirm
}

// size returns the number of messages.
func (f *inflightBatch) size() int {
	if f.compact != nil {
		return len(f.compact.ops)
	}
	return len(f.ops)
}

// op is one message of a batch and its subject: a rule, a removal (rule is nil) or a meter.
type op struct {
	row          *row
	rule         *netview.Rule
	instructions []openflow.Instruction // of rule, perhaps without its meter
	meter        *meterRow
	desired      *netview.Meter // nil: the meter is to be removed
	refused      *openflow.ErrorMsg
	lostBy       Source // source of the notice, if lost
	lost         bool   // the switch reported the entry gone: the new one or the one it replaces
}

// markLost records that the switch lost a row's entry, if it is being added.
func (f *inflightBatch) markLost(w *row, s Source) {
	for i := range f.ops {
		if o := &f.ops[i]; o.row == w && o.rule != nil {
			o.lost, o.lostBy = true, s
		}
	}
}

// addition returns the flow-mod for a rule. Its match is canonical, with all prerequisites. It asks
// for a flow-removed message, so that a lost entry is noticed.
func addition(key entryKey, r *netview.Rule, instructions []openflow.Instruction) *openflow.FlowMod {
	return &openflow.FlowMod{
		Command: openflow.FlowAdd, Cookie: r.Cookie, Table: r.Table, Priority: r.Priority,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Flags: openflow.FlagSendFlowRemoved, Match: openflow.Match{OXM: []byte(key.match)}, Instructions: instructions,
	}
}

// removal returns the flow-mod that removes one entry, restricted to the row's cookies if byCookie.
func removal(w *row, byCookie bool) *openflow.FlowMod {
	m := &openflow.FlowMod{
		Command: openflow.FlowDeleteStrict, Cookie: w.cookie, Table: w.key.table, Priority: w.key.priority,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Match: w.match,
	}
	if byCookie {
		m.CookieMask = w.mask
	}
	return m
}

// sendNextBatch makes the next batch from the queue, if none is in flight. Rows that the switch
// holds already are only reported.
func (c *Core) sendNextBatch(sw *switchState, now time.Time) {
	if sw.phase != phaseReady || sw.inflight != nil || sw.denied || c.sendMeters(sw, now) {
		return
	}
	var f *inflightBatch
	n := 0
	for ; n < len(sw.queue) && (f == nil || len(f.ops) < sw.batchSize); n++ {
		w := sw.queue[n]
		if w.state = rowIdle; sw.rows[w.key] != w {
			continue
		}
		if o, m := c.nextMessage(sw, w, now); m != nil {
			if f == nil {
				f = &inflightBatch{}
			}
			w.state = rowInFlight
			c.markChanged(sw, w)
			f.ops = append(f.ops, o)
			f.messages = append(f.messages, m)
		}
	}
	sw.queue = slices.Delete(sw.queue, 0, n)
	if f == nil {
		f = c.nextCompactBatch(sw, now)
	}
	if f == nil {
		f = sw.meterRemovals()
	}
	c.startBatch(sw, f, now)
}

// nextMessage returns the message that a row needs, nil if none.
func (c *Core) nextMessage(sw *switchState, w *row, now time.Time) (op, openflow.Message) {
	if w.rule == nil {
		if !w.mayHold || sw.foreign[w.key] != nil { // a foreign entry replaced ours
			delete(sw.rows, w.key)
			return op{}, nil
		}
		return op{row: w}, removal(w, sw.cookieMasks)
	}
	if c.checkSupported(sw, w); w.unsupported != "" {
		c.report(w, ruleStatus{netview.RuleFailed, w.unsupported})
		return op{}, nil
	}
	w.blockedByForeign = false
	if e := sw.foreign[w.key]; e != nil && !w.wasConfirmed {
		w.blockedByForeign = true
		c.report(w, ruleStatus{netview.RuleFailed, fmt.Sprintf("a foreign entry with cookie 0x%x stands in its place", e.Cookie)})
		sw.scheduleAudit(now.Add(c.config.RetryMax))
		return op{}, nil
	}
	instructions := sw.instructionsOf(w)
	if c.holds(sw, w, instructions) {
		c.installed(sw, w, w.rule, instructions)
		return op{}, nil
	}
	c.report(w, c.unconfirmedStatus(sw, w))
	return op{row: w, rule: w.rule, instructions: instructions}, addition(w.key, w.rule, instructions)
}

// instructionsOf returns the instructions of a row's rule, without the meter if the switch refused
// it.
func (sw *switchState) instructionsOf(w *row) []openflow.Instruction {
	if id := meterOf(w.rule.Instructions); id != 0 && (w.unmetered || sw.meters.refused(id) != "") {
		return withoutMeter(w.rule.Instructions)
	}
	return w.rule.Instructions
}

// installed records and reports that the switch holds a rule with these instructions.
func (c *Core) installed(sw *switchState, w *row, r *netview.Rule, instructions []openflow.Instruction) {
	w.mayHold, w.contentKnown, w.content, w.wasConfirmed = true, true, content{r.Cookie, instructions}, true
	sw.displaced(w.key)
	w.fails, w.retryAt = 0, time.Time{}
	reason := ""
	if id := meterOf(r.Instructions); id != 0 && meterOf(instructions) == 0 {
		reason = fmt.Sprintf("without meter %d, which the switch refused", id)
		if why := sw.meters.refused(id); why != "" {
			reason += ": " + why
		}
	}
	c.report(w, ruleStatus{netview.RuleInstalled, reason})
}

// displaced forgets the foreign entry that an entry of ours replaced, if there was one.
func (sw *switchState) displaced(key entryKey) {
	if sw.foreign[key] != nil {
		sw.markShadowsDirty()
		delete(sw.foreign, key)
	}
}

// startBatch makes f the batch in flight.
func (c *Core) startBatch(sw *switchState, f *inflightBatch, now time.Time) {
	if f == nil {
		return
	}
	c.batches++
	f.id = c.batches
	sw.inflight = f
	sw.answerDeadline = now.Add(c.config.Answer)
	c.emitBatch(sw)
}

// emitBatch hands the rest of the batch in flight to the loop.
func (c *Core) emitBatch(sw *switchState) {
	sw.resendAt = time.Time{}
	f := sw.inflight
	b := Batch{Address: Address{sw.dpid, sw.epoch}, ID: f.id, Frames: f.frames}
	if f.compact == nil {
		b.From, b.Messages = f.sent, f.messages[f.sent:]
	} else if f.frames != nil {
		b.Count, f.frames = f.size(), nil
	}
	c.ready.Batches = append(c.ready.Batches, b)
}
