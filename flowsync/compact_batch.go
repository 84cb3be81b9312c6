package flowsync

import (
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// compactBatch is the content of a batch of flow-mods for rule sets; the next batch reuses its
// memory.
type compactBatch struct {
	ops     []compactOp
	refused map[uint32]openflow.ErrorMsg // by index in ops
	lost    map[uint32]Source            // by row that is being added: source of the notice that the switch lost the entry
}

// compactOp is one flow-mod.
type compactOp struct {
	set     *ruleset.Set
	row     uint32
	rule    uint16
	adds    bool
	mayHold bool // before the flow-mod, the switch may have held an entry in the place
}

// framesKept is the number of bytes of encoded flow-mods for which memory is kept.
const framesKept = 8 << 20

// nextCompactBatch makes the next batch from the queue of rule sets, nil if there is nothing to
// send.
func (c *Core) nextCompactBatch(sw *switchState, now time.Time) *inflightBatch {
	t := sw.compact
	if t == nil || len(t.queue) == 0 || !sw.resendAt.IsZero() {
		return nil
	}
	f := &t.inflight
	f.ops = f.ops[:0]
	clear(f.refused)
	clear(f.lost)
	start, n := len(c.frames), 0
	for ; n < len(t.queue) && len(f.ops) < sw.batchSize; n++ {
		i := t.queue[n]
		t.rows[i].flags &^= flagQueued
		if adds, ok := c.encodeNext(sw, i, now); ok {
			r := &t.rows[i]
			f.ops = append(f.ops, compactOp{r.set, i, r.rule, adds, r.flags&flagMayHold != 0})
			t.set(i, flagInFlight|flagChanged, flagVerified)
			if adds {
				t.set(i, flagAdding, 0)
			}
		}
	}
	t.queue = slices.Delete(t.queue, 0, n)
	if len(f.ops) == 0 {
		return nil
	}
	return &inflightBatch{compact: f, frames: c.frames[start:len(c.frames):len(c.frames)]}
}

// encodeNext encodes the flow-mod that a row needs; ok is false if it needs none.
func (c *Core) encodeNext(sw *switchState, i uint32, now time.Time) (adds, ok bool) {
	t := sw.compact
	r := &t.rows[i]
	m := &c.mod
	switch {
	case r.flags&flagDesired != 0 && r.flags&flagVerified != 0 && !c.needsReadingCompact(sw, i):
		c.reportInstalled(sw, i)
		return false, false
	case r.flags&flagDesired != 0:
		r.set.FlowMod(int(r.rule), c.config.Domain, sw.singleTable, m)
		if why := c.rejection(sw, r, m); why != "" {
			c.refuseCompact(sw, i, &openflow.ErrorMsg{}, why, now)
			return false, false
		}
	case r.flags&flagMayHold == 0:
		c.endRemoved(sw, i)
		return false, false
	case r.flags&(flagRemovalOrdered|flagPruning) == 0: // a stale entry stays until pruneCompact
		return false, false
	default:
		r.set.Removal(int(r.rule), c.config.Domain, sw.singleTable, sw.cookieMasks, m)
		if r.flags&flagOtherOwner != 0 {
			m.Cookie, m.CookieMask = m.Cookie&plan.KindMask, m.CookieMask&plan.KindMask
		}
		if c.unsupported(sw, m) != "" { // the switch cannot hold it
			c.endRemoved(sw, i)
			return false, false
		}
	}
	frames, err := openflow.Append(c.frames, sw.version, 0, m)
	if err != nil {
		c.refuseCompact(sw, i, &openflow.ErrorMsg{}, err.Error(), now)
		return false, false
	}
	c.frames = frames
	return r.flags&flagDesired != 0, true
}

// rejection returns why a rule is not sent at all, "" if it is.
func (c *Core) rejection(sw *switchState, r *compactRow, m *openflow.FlowMod) string {
	if len(sw.foreign) > 0 && r.flags&flagWasConfirmed == 0 {
		if e := sw.foreign[r.place().key(m.Table)]; e != nil {
			return fmt.Sprintf("a foreign entry with cookie 0x%x stands in its place", e.Cookie)
		}
	}
	return c.unsupported(sw, m)
}

// endRemoved ends a row that is not desired and whose entry the switch does not hold.
func (c *Core) endRemoved(sw *switchState, i uint32) {
	if r := &sw.compact.rows[i]; r.flags&flagRemovalOrdered != 0 {
		c.outcome(r.set, r.rule, ruleset.Removed)
	}
	sw.freeRow(i)
}

// refuseCompact reports a refusal and stops desiring the row. If the switch held an entry before,
// that becomes stale.
func (c *Core) refuseCompact(sw *switchState, i uint32, e *openflow.ErrorMsg, reason string, now time.Time) {
	t := sw.compact
	r := &t.rows[i]
	c.refuse(r.set, r.rule, e.Code, reason)
	if e.Code == openflow.FlowModFailedTableFull && !t.tableFull {
		t.tableFull = true
		c.raise(netview.AlarmTableFull, sw.dpid, "refuses rules of intents: its table is full")
	}
	if r.flags&flagMayHold == 0 {
		sw.freeRow(i)
		return
	}
	t.set(i, 0, flagDesired|flagVerified|flagReported|flagWasConfirmed)
	t.schedulePrune(now.Add(c.config.Grace))
}

// onSentCompact records that a batch was sent, or that it did not fit: its rows are then queued
// again.
func (c *Core) onSentCompact(sw *switchState, in Sent) {
	f, p := sw.inflight, sw.compact
	switch {
	case f.sent > 0: // only the barrier had not been sent
	case in.Frames:
		f.sent = len(f.compact.ops)
		c.counters.FlowMods += uint64(f.sent)
		for i := range f.compact.ops {
			if o := &f.compact.ops[i]; o.adds {
				p.set(o.row, flagMayHold, 0)
			}
		}
	default:
		sw.inflight, sw.answerDeadline = nil, time.Time{}
		sw.batchSize = max(c.config.BatchMin, sw.batchSize/2)
		p.requeueBatch()
	}
}

// requeueBatch puts the rows of the batch in flight in front of the queue.
func (t *compactTable) requeueBatch() {
	ops := t.inflight.ops
	t.queue = slices.Insert(t.queue, 0, make([]uint32, len(ops))...)
	for i := range ops {
		t.queue[i] = ops[i].row
		t.set(ops[i].row, flagQueued, flagInFlight|flagAdding)
	}
}

// abandonBatch ends a batch whose fate is unknown.
func (t *compactTable) abandonBatch() {
	for i := range t.inflight.ops {
		t.set(t.inflight.ops[i].row, flagMayHold, flagInFlight|flagAdding|flagVerified)
	}
}

// markRefused records an error for a flow-mod.
func (f *compactBatch) markRefused(index int, e *openflow.ErrorMsg) {
	if f.refused == nil {
		f.refused = make(map[uint32]openflow.ErrorMsg)
	}
	if _, twice := f.refused[uint32(index)]; !twice {
		f.refused[uint32(index)] = *e // its Data is empty
	}
}

// markLost records that the switch lost the entry of a row, if it is being added.
func (t *compactTable) markLost(row uint32, s Source) {
	if t.rows[row].flags&flagAdding == 0 {
		return
	}
	f := &t.inflight
	if f.lost == nil {
		f.lost = make(map[uint32]Source)
	}
	f.lost[row] = s
}

// compactBatchDone ends a confirmed batch: every flow-mod that was not refused has been executed.
func (c *Core) compactBatchDone(sw *switchState, f *compactBatch, now time.Time) {
	added := false
	for i := range f.ops {
		o := &f.ops[i]
		var e *openflow.ErrorMsg
		if len(f.refused) > 0 {
			if msg, ok := f.refused[uint32(i)]; ok {
				e = &msg
			}
		}
		sw.compact.set(o.row, flagChanged, flagInFlight|flagAdding)
		if o.adds {
			added = added || e == nil
			c.compactAdditionDone(sw, f, o, e, now)
		} else {
			c.compactRemovalDone(sw, o, e, now)
		}
	}
	if sw.compact.tableFull && added {
		sw.compact.tableFull = false
		c.clear(netview.AlarmTableFull, sw.dpid)
	}
}

// compactAdditionDone handles the end of a flow-mod that added a rule.
func (c *Core) compactAdditionDone(sw *switchState, f *compactBatch, o *compactOp, e *openflow.ErrorMsg, now time.Time) {
	t := sw.compact
	r := &t.rows[o.row]
	wanted := r.flags&flagDesired != 0 && sameRule(r.set, r.rule, o.set, o.rule)
	by, lost := Source(0), false
	if len(f.lost) > 0 {
		by, lost = f.lost[o.row]
	}
	if e == nil && !lost {
		t.set(o.row, flagWasConfirmed|flagMayHold, 0)
		sw.displacedBy(r)
	}
	switch {
	case e != nil && wanted:
		t.setMayHold(o.row, o.mayHold)
		c.refuseCompact(sw, o.row, e, refusalText(e, sw.version), now)
	case e != nil:
		t.setMayHold(o.row, o.mayHold)
		sw.enqueueCompact(o.row)
	case lost && wanted:
		t.setMayHold(o.row, true) // the entry may be there, changed
		c.driftCompact(sw, o.row, by, now)
	case lost || !wanted:
		sw.enqueueCompact(o.row)
	case c.needsReadingCompact(sw, o.row):
		t.set(o.row, flagVerified, 0)
		sw.scheduleAudit(now.Add(c.config.RetryFirst))
	default:
		c.reportInstalled(sw, o.row)
	}
}

// setMayHold sets whether the switch may hold an entry in a row's place, with unverified content.
func (t *compactTable) setMayHold(i uint32, held bool) {
	if held {
		t.set(i, flagMayHold, flagVerified)
	} else {
		t.set(i, 0, flagMayHold|flagVerified|flagOtherOwner)
	}
}

// compactRemovalDone handles the end of a flow-mod that removed an entry.
func (c *Core) compactRemovalDone(sw *switchState, o *compactOp, e *openflow.ErrorMsg, now time.Time) {
	t := sw.compact
	if e == nil {
		t.setMayHold(o.row, false)
	}
	switch r := &t.rows[o.row]; {
	case r.flags&flagDesired != 0:
		sw.enqueueCompact(o.row)
	case e != nil:
		failed := t.failureOf(o.row)
		failed.fails++
		t.scheduleRetry(o.row, failed, now.Add(c.config.backoff(failed.fails)))
	default:
		c.endRemoved(sw, o.row)
	}
}
