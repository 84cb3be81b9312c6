package intent

import (
	"sync"
	"time"
)

// mark has the decision of an intent kept.
func (c *Core) mark(n uint32, e *entry) {
	if !e.has(unsaved) {
		e.marks |= unsaved
		c.dirty = append(c.dirty, n)
	}
}

// Decisions takes what is to be kept, at most limit records, and no more than decisionBytes but for the last.
func (c *Core) Decisions(limit int) (recs []Record) {
	bytes := 0
	for len(c.dirty) > 0 && len(recs) < limit && bytes < decisionBytes {
		n := c.dirty[0]
		c.dirty = c.dirty[1:]
		e := c.entries.at(n)
		e.marks &^= unsaved
		switch {
		case e.program != nil && !e.has(adopted):
			e.marks |= saved
			g := e.program
			if e.change != nil && e.change.next != nil { // where it goes
				g = e.change.next
			}
			data := c.appendDecision(nil, g)
			bytes += recordHead + len(data)
			recs = append(recs, Record{Number: n, Data: data})
		case e.program == nil && e.has(saved):
			e.marks &^= saved
			bytes += recordHead
			recs = append(recs, Record{Number: n, Delete: true})
		}
	}
	if len(c.dirty) == 0 {
		c.dirty = nil
	}
	return recs
}

// keptWithin is how long a decision may be in memory only.
const keptWithin = 250 * time.Millisecond

// recorder writes decisions into their journal.
type recorder struct {
	journal Journal
	at      time.Time // of the next writing; zero if nothing is to be written

	mu     sync.Mutex
	failed []uint32 // written, and then not durable
}

// decisionsAtOnce is how many decisions are handed to the journal at a time.
const decisionsAtOnce = 8192

// decisionBytes is about how many bytes they may have: a journal takes a MiB in one append. recordHead is what a record has in it beside its data.
const (
	decisionBytes = 512 << 10
	recordHead    = 10
)

func (r *recorder) due(time.Time) time.Time { return r.at }

// take writes what is due.
func (r *recorder) take(c *Core, now time.Time) {
	r.mu.Lock()
	for _, n := range r.failed {
		e := c.entries.at(n)
		e.marks |= saved
		c.mark(n, e)
	}
	r.failed = nil
	r.mu.Unlock()
	switch {
	case len(c.dirty) == 0:
		return
	case r.journal == nil:
		c.dirty = nil
		return
	case r.at.IsZero():
		r.at = now.Add(keptWithin)
		return
	case now.Before(r.at):
		return
	}
	r.at = time.Time{}
	for len(c.dirty) > 0 {
		recs := c.Decisions(decisionsAtOnce)
		if len(recs) == 0 {
			continue
		}
		err := r.journal.Append(recs, func(_ uint64, err error) {
			if err != nil {
				r.again(recs)
			}
		})
		if err != nil { // it has enough to do: later
			r.again(recs)
			r.at = now.Add(time.Second)
			return
		}
	}
}

// flush writes all there is, at the end.
func (r *recorder) flush(c *Core) {
	for r.journal != nil && len(c.dirty) > 0 {
		if recs := c.Decisions(decisionsAtOnce); len(recs) > 0 && r.journal.Append(recs, func(uint64, error) {}) != nil {
			return
		}
	}
}

func (r *recorder) again(recs []Record) {
	r.mu.Lock()
	for i := range recs {
		r.failed = append(r.failed, recs[i].Number)
	}
	r.mu.Unlock()
}
