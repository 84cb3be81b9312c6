package flowsync

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// ruleBatch sends the rules: it is the content of a batch of flow-mods, in memory that a later
// batch reuses. A row is in one at most.
type ruleBatch struct {
	*ruleTable

	ops      []ruleOp
	removals []removalSum                 // those among ops
	refused  map[uint32]openflow.ErrorMsg // by index in ops
	lost     map[uint32]Source            // by row that is being added: source of the notice that the switch lost the entry
}

// ruleOp is one flow-mod.
type ruleOp struct {
	set     *ruleset.Set
	row     uint32
	rule    uint16
	adds    bool
	mayHold bool // before the flow-mod, the switch may have held an entry in the place
}

// framesKept is the number of bytes of encoded flow-mods for which memory is kept.
const framesKept = 8 << 20

// reset ends a session.
func (f *ruleBatch) reset() { f.ops, f.removals, f.refused, f.lost = nil, nil, nil, nil }

// end forgets a batch that is not in flight any more.
func (f *ruleBatch) end() {
	f.ops, f.removals = f.ops[:0], f.removals[:0]
	clear(f.refused)
	clear(f.lost)
}

// next makes the next batch from the queue, with limit flow-mods at most; nil if there is nothing to send.
func (f *ruleBatch) next(limit int, now time.Time) *inflightBatch {
	if f.queue.count == 0 {
		return nil
	}
	start := len(f.frames)
	for len(f.ops) < limit {
		i, waits := f.queue.pop()
		if !waits {
			break
		}
		f.apply(i, dequeued)
		if adds, ok := f.encode(i, now); ok {
			r := &f.rows[i]
			f.ops = append(f.ops, ruleOp{r.set, i, r.rule, adds, !r.state.holds(holdsNothing)})
			if adds {
				f.apply(i, additionSent)
			} else {
				f.apply(i, removalSent)
				f.mortals.forget(i) // what is ordered from now on has a life of its own
				f.removals = append(f.removals, newRemovalSum(r.hash, r.set.Number))
			}
		}
	}
	if len(f.ops) == 0 {
		return nil
	}
	return &inflightBatch{rules: f, frames: f.frames[start:len(f.frames):len(f.frames)]}
}

// encode encodes the flow-mod that a row needs; ok is false if it needs none.
func (f *ruleBatch) encode(i uint32, now time.Time) (adds, ok bool) {
	switch r := &f.rows[i]; {
	case r.state.wants(wantsRule):
		adds, ok = true, f.addition(i, now)
	case r.state.holds(holdsNothing):
		f.endRemoved(i)
	case !r.state.wants(wantsNothing): // else a stale entry, which stays until it is pruned
		ok = f.removal(i)
	}
	if !ok {
		return false, false
	}
	frames, err := openflow.Append(f.frames, f.version, 0, &f.mod)
	switch {
	case err != nil && adds:
		f.refuse(i, &openflow.ErrorMsg{}, err.Error(), now)
		return false, false
	case err != nil: // the switch cannot hold it
		f.endRemoved(i)
		return false, false
	}
	f.frames = frames
	if adds && policyOf(f.rows[i].set).status {
		f.reportOpen(i)
	}
	return adds, true
}

// addition makes the flow-mod that adds a row's rule; false if none is to be sent.
func (f *ruleBatch) addition(i uint32, now time.Time) bool {
	r := &f.rows[i]
	other := policyOf(r.set).yields && f.ofView().chooseMeter(i)
	if other {
		f.apply(i, ruleReplaced)
	}
	if r.state.holds(holdsRule) && !f.needsReading(i) {
		f.reportInstalled(i)
		return false
	}
	mortal := policyOf(r.set).mortal
	if mortal && (f.mortals.ends(i) || (mortalRules{f.ruleTable}).spent(i, now)) {
		return false
	}
	r.set.FlowMod(int(r.rule), f.config.Domain, f.singleTable, &f.mod)
	if !f.numberObjects(i, now) {
		return false
	}
	if why := f.rejection(i, now); why != "" {
		f.refuse(i, &openflow.ErrorMsg{}, why, now)
		return false
	}
	if mortal {
		f.mod.HardTimeout = f.mortals.left(i, r.set, now)
		f.mortals.sent(i, f.mod.HardTimeout, now)
	}
	return true
}

// numberObjects gives a flow-mod the numbers of the groups and meters that its rule uses. It returns false if the rule is
// not sent: it waits for these, or one of them was refused, and the rule with it.
func (f *ruleBatch) numberObjects(i uint32, now time.Time) bool {
	r := &f.rows[i]
	_, hop := r.set.At(int(r.rule))
	if len(hop.Do.Objects()) == 0 {
		return true
	}
	ready, why := f.objects.render(i, hop.Do, &f.mod)
	if why != nil {
		f.refuse(i, &openflow.ErrorMsg{Code: why.Code}, why.Reason, now)
	}
	return ready
}

// removal makes the flow-mod that removes a row's entry; false if the switch cannot hold it.
func (f *ruleBatch) removal(i uint32) bool {
	r := &f.rows[i]
	mask := policyOf(r.set).removes
	switch {
	case !f.cookieMasks:
		mask = 0
	case r.state.has(otherOwner):
		mask &= plan.DomainMask
	}
	r.set.Removal(int(r.rule), f.config.Domain, f.singleTable, mask, &f.mod)
	if f.codec.rejects(f.version, &f.mod) != "" {
		f.endRemoved(i)
		return false
	}
	return true
}

// rejection returns why a rule is not sent at all, "" if it is.
func (f *ruleBatch) rejection(i uint32, now time.Time) string {
	r := &f.rows[i]
	if f.foreign.count() > 0 && !r.state.has(confirmed) {
		if text := f.foreign.holds(f.place(i).key()); text != "" {
			f.ofView().blockedBy(i, now)
			return text + " stands in its place"
		}
	}
	return f.codec.rejects(f.version, &f.mod)
}

// accepted records that the session has taken the batch.
func (f *ruleBatch) accepted() {
	for i := range f.ops {
		if o := &f.ops[i]; o.adds {
			f.apply(o.row, sentAccepted)
		}
	}
}

// requeue puts the rows of the batch, which did not fit, in front of those of their owners.
func (f *ruleBatch) requeue() {
	for i := range slices.Backward(f.ops) {
		row := f.ops[i].row
		f.queue.unshift(row, classOf(f.rows[row].set))
		f.apply(row, sentReturned)
	}
	f.end()
}

// abandon ends the batch, whose fate is unknown.
func (f *ruleBatch) abandon() {
	for i := range f.ops {
		f.apply(f.ops[i].row, sentDropped)
	}
	f.end()
}

// markRefused records an error for a flow-mod.
func (f *ruleBatch) markRefused(index int, e *openflow.ErrorMsg) {
	if f.refused == nil {
		f.refused = make(map[uint32]openflow.ErrorMsg)
	}
	if _, twice := f.refused[uint32(index)]; !twice {
		f.refused[uint32(index)] = *e // its Data is empty
	}
}

// markLost records that the switch lost the entry of a row, if it is being added. A batch whose row it is not forgets it.
func (l *ruleListing) markLost(row uint32, s Source) {
	if l.rows[row].state&progress != adding {
		return
	}
	for i := range l.batches {
		f := &l.batches[i]
		if len(f.ops) == 0 {
			continue
		}
		if f.lost == nil {
			f.lost = make(map[uint32]Source)
		}
		f.lost[row] = s
	}
}

// adding returns the flow-mod in flight that adds a row's rule, nil if there is none.
func (l *ruleListing) adding(row uint32) *ruleOp {
	for i := range l.batches {
		for k := range l.batches[i].ops {
			if o := &l.batches[i].ops[k]; o.row == row && o.adds {
				return o
			}
		}
	}
	return nil
}

// done ends a confirmed batch: every flow-mod that was not refused has been executed.
func (f *ruleBatch) done(now time.Time) {
	for i := range f.ops {
		f.touched += f.slot(f.rows[f.ops[i].row].hash)
	}
	added := false
	for i := range f.ops {
		o := &f.ops[i]
		var e *openflow.ErrorMsg
		if len(f.refused) > 0 {
			if msg, ok := f.refused[uint32(i)]; ok {
				e = &msg
			}
		}
		f.apply(o.row, sentAnswered)
		if o.adds {
			added = added || e == nil
			f.additionDone(o, e, now)
		} else {
			f.removalDone(o, e, now)
		}
	}
	full := f.wasFull()
	f.end()
	if f.tableFull && added && !full {
		f.tableFull = false
		f.clearAlarm(netview.AlarmTableFull)
	}
}

// wasFull reports whether the switch had no room for a rule of the batch.
func (f *ruleBatch) wasFull() bool {
	for _, e := range f.refused {
		if e.Code == openflow.FlowModFailedTableFull {
			return true
		}
	}
	return false
}

// additionDone handles the end of a flow-mod that added a rule.
func (f *ruleBatch) additionDone(o *ruleOp, e *openflow.ErrorMsg, now time.Time) {
	r := &f.rows[o.row]
	asWanted := r.state.wants(wantsRule) && sameRule(r.set, r.rule, o.set, o.rule) && f.mortals.knows(o.row, r.set)
	by, lost := Source(0), false
	if len(f.lost) > 0 {
		by, lost = f.lost[o.row]
	}
	if e == nil && !lost {
		f.apply(o.row, additionDone)
		f.displacedBy(o.row)
		if asWanted && policyOf(r.set).mortal {
			f.mortals.confirm(o.row)
		}
	}
	switch {
	case e != nil && asWanted && f.objects.doubt(o.row, e.Code):
		f.holdsAsBefore(o)
		f.enqueue(o.row)
	case e != nil && asWanted && !f.ofView().yieldMeter(o.row, e.Code):
		f.holdsAsBefore(o)
		f.refuse(o.row, e, refusalText(e, f.version), now)
	case e != nil:
		f.holdsAsBefore(o)
		f.enqueue(o.row)
	case !lost && asWanted && policyOf(r.set).mortal && (mortalRules{f.ruleTable}).doubted(o.row):
	case lost && asWanted:
		f.apply(o.row, entryUnknown) // the entry may be there, changed
		f.drift(o.row, by, now)
	case lost || !asWanted:
		f.enqueue(o.row)
	case f.needsReading(o.row):
		f.apply(o.row, entrySeen)
		f.reading.scheduleAudit(now.Add(f.config.RetryFirst))
	default:
		f.reportInstalled(o.row)
	}
}

// holdsAsBefore has a row hold what it did before a flow-mod that was refused.
func (f *ruleBatch) holdsAsBefore(o *ruleOp) {
	if o.mayHold {
		f.apply(o.row, entryUnknown)
	} else {
		f.apply(o.row, entryGone)
	}
}

// removalDone handles the end of a flow-mod that removed an entry.
func (f *ruleBatch) removalDone(o *ruleOp, e *openflow.ErrorMsg, now time.Time) {
	if e == nil {
		f.apply(o.row, entryGone)
	}
	switch r := &f.rows[o.row]; {
	case r.state.wants(wantsRule):
		f.enqueue(o.row)
	case e != nil:
		f.failures.refused(o.row, true, now)
	default:
		f.endRemoved(o.row)
	}
}
