package intent

import (
	"sync"
	"time"
)

// mark schedules an intent's decision for saving.
func (d *decisions) mark(n uint32, e *coreEntry) {
	if !e.has(unsaved) {
		e.flags |= unsaved
		d.dirty = append(d.dirty, n)
	}
}

// unwritten notes that a decision that records returned is not in the journal.
func (d *decisions) unwritten(n uint32) {
	e := d.entries.At(n)
	e.flags |= saved
	d.mark(n, e)
}

// records returns decisions to save, at most limit records, and no more than decisionBytes except
// for the last.
func (d *decisions) records(limit int) (recs []Record) {
	bytes, most := 0, min(limit, len(d.dirty))
	recs = make([]Record, 0, most)
	room := make([]byte, 0, min(most*usualDecision, decisionBytes)) // for the records' data
	for len(d.dirty) > 0 && len(recs) < limit && bytes < decisionBytes {
		n := d.dirty[0]
		d.dirty = d.dirty[1:]
		e := d.entries.At(n)
		e.flags &^= unsaved
		switch {
		case e.rules != nil && !e.has(restorable):
			e.flags |= saved
			g := e.rules
			if e.transition != nil && e.transition.next != nil { // the final rule set
				g = e.transition.next
			}
			from := len(room)
			room = d.append(room, g)
			data := room[from:len(room):len(room)]
			bytes += recordHead + len(data)
			recs = append(recs, Record{Number: n, Data: data})
		case e.rules == nil && e.has(saved):
			e.flags &^= saved
			bytes += recordHead
			recs = append(recs, Record{Number: n, Delete: true})
		}
	}
	if len(d.dirty) == 0 {
		d.dirty = nil
	}
	return recs
}

// saveDelay is how long a decision may be in memory only.
const saveDelay = 250 * time.Millisecond

// decisionWriter writes decisions to their journal.
type decisionWriter struct {
	journal Journal
	next    time.Time // when to write next; zero if nothing is to be written

	mu     sync.Mutex
	failed []uint32 // numbers whose commit failed
}

// maxDecisions is how many decisions go to the journal in one append.
const maxDecisions = 8192

// decisionBytes limits the bytes of one append, approximately: a journal accepts 1 MiB. recordHead
// is the size of a record without its data.
const (
	decisionBytes = 512 << 10
	recordHead    = 10
	usualDecision = 48 // bytes: the saved path of an intent of six hops has about that many
)

// saveDue writes decisions whose delay has passed.
func (r *decisionWriter) saveDue(c *Core, now time.Time) {
	r.mu.Lock()
	for _, n := range r.failed {
		c.decisions.unwritten(n)
	}
	r.failed = nil
	r.mu.Unlock()
	switch {
	case len(c.decisions.dirty) == 0:
		return
	case r.journal == nil:
		c.decisions.dirty = nil
		return
	case r.next.IsZero():
		r.next = now.Add(saveDelay)
		return
	case now.Before(r.next):
		return
	}
	r.next = time.Time{}
	for len(c.decisions.dirty) > 0 {
		recs := c.decisions.records(maxDecisions)
		if len(recs) == 0 {
			continue
		}
		err := r.journal.Append(recs, func(_ uint64, err error) {
			if err != nil {
				r.markFailed(recs)
			}
		})
		if err != nil { // the journal is full: retry later
			r.markFailed(recs)
			r.next = now.Add(time.Second)
			return
		}
	}
}

// flush writes all decisions, at shutdown.
func (r *decisionWriter) flush(c *Core) {
	for r.journal != nil && len(c.decisions.dirty) > 0 {
		if recs := c.decisions.records(maxDecisions); len(recs) > 0 && r.journal.Append(recs, func(uint64, error) {}) != nil {
			return
		}
	}
}

func (r *decisionWriter) markFailed(recs []Record) {
	r.mu.Lock()
	for i := range recs {
		r.failed = append(r.failed, recs[i].Number)
	}
	r.mu.Unlock()
}
