package flowsync

import (
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// readingFactor is the cost of a whole reading (receiving, decoding, sorting, comparing) in units
// of decoding and sorting (BenchmarkReading).
const readingFactor = 3

// monitorID is the number of our flow monitor; there is one per connection.
const monitorID = 1

// Updates takes a report of a switch's flow monitor. Nothing of list is kept.
func (l *Loop) Updates(at Address, list *openflow.FlowUpdateList) {
	count, size := 0, inputBytes
	for i := range list.Updates {
		if u := &list.Updates[i]; l.relevant(u) {
			size += entrySize(&u.Match, u.Instructions)
			count++
		}
	}
	if count == 0 {
		return
	}
	l.inbox.postNotice(at, size, func() Input {
		changes := make([]Change, 0, count)
		for i := range list.Updates {
			if u := &list.Updates[i]; l.relevant(u) {
				changes = append(changes, changeOf(u))
			}
		}
		return Changed{at, changes}
	})
}

// relevant reports whether an update matters: our own changes do not, nor do soft entries of this
// run.
func (l *Loop) relevant(u *openflow.FlowUpdate) bool {
	switch {
	case u.Event == openflow.FlowAbbreviated:
		return false
	case plan.Foreign(u.Cookie, l.config.Domain) || !plan.Decode(u.Cookie).Kind.Soft():
		return true
	}
	return u.Event == openflow.FlowDeleted && l.leftover.Load() > 0
}

func changeOf(u *openflow.FlowUpdate) Change {
	return Change{
		Event: u.Event, Match: u.Match.Key(),
		Entry: Entry{u.Table, u.Priority, u.Cookie, cloneMatch(&u.Match), cloneInstructions(u.Instructions),
			u.IdleTimeout, u.HardTimeout},
		TimedOut: u.Event == openflow.FlowDeleted && timedOut(openflow.FlowRemovedReason(u.Reason)),
	}
}

// MonitorPaused takes a notice that a switch's flow monitor omits changes or, if not on, no longer
// does.
func (l *Loop) MonitorPaused(at Address, on bool) {
	l.inbox.postNotice(at, inputBytes, func() Input { return Paused{at, on} })
}

// readingCost returns about the processor time of a reading.
func readingCost(sorting time.Duration) time.Duration {
	return max(sorting*readingFactor, time.Microsecond)
}

// RemovedFrame is Removed for the bytes of a flow-removed message about a firm entry of ours that no time-out ended; for
// others it returns false and does nothing. Each rule that is withdrawn causes one, and this costs a fraction of Removed.
func (l *Loop) RemovedFrame(at Address, v openflow.Version, frame []byte) bool {
	cookie, whole := openflow.FlowRemovedCookie(v, frame)
	if !whole || plan.Decode(cookie).Kind.Soft() || plan.Foreign(cookie, l.config.Domain) {
		return false
	}
	if sum, ok := removalOf(v, frame, cookie); ok && l.inbox.awaited(at, sum) {
		return true
	}
	var m openflow.FlowRemoved
	if m.Parse(v, frame[openflow.HeaderLen:]) != nil || timedOut(m.Reason) { // few, and their counters are of interest
		return false
	}
	e := openflow.FlowStats{Table: m.Table, Priority: m.Priority, Cookie: m.Cookie, Match: m.Match}
	return l.inbox.postPacked(at, &e)
}

// postPacked posts a removed entry, behind others of its session in one input; false if it cannot be packed.
func (b *inbox) postPacked(at Address, e *openflow.FlowStats) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, ok := b.current(at)
	if !ok || !b.admit(at.DPID, c, packedHeader+packedGrowth*len(e.Match.OXM)) {
		return true
	}
	last := len(b.inputs) - 1
	if last >= 0 {
		if in, ok := b.inputs[last].(*RemovedPacked); ok && in.Address == at {
			return in.Entries.pack(e, nil)
		}
	}
	in := &RemovedPacked{Address: at}
	if !in.Entries.pack(e, nil) {
		return false
	}
	b.postLocked(in)
	return true
}

// packedGrowth is the cost of a packed match relative to its size, for the growing buffer.
const packedGrowth = 2

// removalSum names a removal in flight to a switch: the hash of its place, and its owner.
type removalSum uint64

func newRemovalSum(hash, owner uint32) removalSum { return removalSum(hash)<<32 | removalSum(owner) }

// removalOf returns what a flow-removed message is about, from its bytes; false for OpenFlow 1.0, whose match
// would have to be translated.
func removalOf(v openflow.Version, frame []byte, cookie uint64) (removalSum, bool) {
	oxm, priority, ok := openflow.FlowRemovedMatch(v, frame)
	if !ok {
		return 0, false
	}
	in, match := ruleset.CutInPort(oxm)
	return newRemovalSum(place{match: match, in: in, priority: priority}.hash(), plan.Decode(cookie).Owner), true
}

// awaitedRemovals are the removals in the batches in flight, in their order. Their flow-removed messages come in that
// order, before the reply to the batch's barrier, which says all that they do: they are dropped as they come. Any other
// flow-removed message is news.
type awaitedRemovals [2]batchRemovals

// batchRemovals are those of one batch; without sums it is none.
type batchRemovals struct {
	batch uint64
	sums  []removalSum
	next  int
}

// awaitedAhead is how many removals may have no flow-removed message, as where the switch holds no entry, without
// those behind them being news.
const awaitedAhead = 8

func (a *awaitedRemovals) take(sum removalSum) bool { return a[0].take(sum) || a[1].take(sum) }

func (r *batchRemovals) take(sum removalSum) bool {
	for i, s := range r.sums[r.next:min(r.next+awaitedAhead, len(r.sums))] {
		if s == sum {
			r.next += i + 1
			return true
		}
	}
	return false
}

func (r *batchRemovals) clear() { r.sums, r.next = r.sums[:0], 0 }

// begin adds a batch. There are two in flight at most: the place of the older one is free.
func (a *awaitedRemovals) begin(batch uint64, sums []removalSum) {
	r := &a[0]
	if len(r.sums) > 0 {
		r = &a[1]
	}
	*r = batchRemovals{batch: batch, sums: append(r.sums[:0], sums...)}
}

// end ends a batch.
func (a *awaitedRemovals) end(batch uint64) {
	for i := range a {
		if a[i].batch == batch {
			a[i].clear()
		}
	}
	if len(a[0].sums) == 0 {
		a[0], a[1] = a[1], a[0]
	}
}

// await has the flow-removed messages dropped that follow from a batch, which is about to be sent.
func (b *inbox) await(at Address, batch uint64, sums []removalSum) {
	if len(sums) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c, ok := b.current(at)
	if !ok {
		return
	}
	if c.removals == nil {
		c.removals = new(awaitedRemovals)
		b.sessions[at.DPID] = c
	}
	c.removals.begin(batch, sums)
}

// awaitNone has all flow-removed messages of a switch be news.
func (b *inbox) awaitNone(at Address) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.current(at); ok && c.removals != nil {
		c.removals[0].clear()
		c.removals[1].clear()
	}
}

// awaited reports whether a flow-removed message follows from a batch in flight.
func (b *inbox) awaited(at Address, sum removalSum) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, ok := b.current(at)
	return ok && c.removals != nil && c.removals.take(sum)
}

// confirmed adds the answer to the barrier of a batch, after which no flow-removed message follows from it.
func (b *inbox) confirmed(in Confirmed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.current(in.Address); ok && c.removals != nil {
		c.removals.end(in.Batch)
	}
	b.postLocked(in)
}
