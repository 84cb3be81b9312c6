package intent

import "container/heap"

// lines are batches that wait because they name ids which others, in flight or before them, name too: a line for each such id, in the order
// in which they came. Joining, moving up and leaving cost the ids that a batch names, however many wait.
type lines struct {
	byID  map[string]*line
	ready ready  // that stand first in all their lines
	last  uint64 // the place given out last
	steps uint64 // how many times a batch was looked at in a line
}

// line are the batches that name one id; the first has it once nobody in flight does.
type line struct {
	batches []*batch
	granted bool // to the first
}

// ready is a heap of batches by place.
type ready []*batch

func (r ready) Len() int           { return len(r) }
func (r ready) Less(i, j int) bool { return r[i].place < r[j].place }
func (r ready) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }

// Push is of heap.Interface.
func (r *ready) Push(b any) { *r = append(*r, b.(*batch)) }

// Pop is of heap.Interface.
func (r *ready) Pop() any {
	n := len(*r) - 1
	b := (*r)[n]
	(*r)[n] = nil
	*r = (*r)[:n]
	return b
}

// has reports whether anybody waits for an id.
func (q *lines) has(id string) bool { return len(q.byID) > 0 && q.byID[id] != nil }

// join puts a batch at the end of the lines of its ids, one of which at least is busy or has a line.
func (q *lines) join(b *batch, busy func(id string) bool) {
	if q.byID == nil {
		q.byID = make(map[string]*line)
	}
	q.last++
	b.place = q.last
	for i := range b.reqs {
		id := b.reqs[i].id()
		if id == "" {
			continue
		}
		q.steps++
		l := q.byID[id]
		if l == nil {
			l = &line{granted: !busy(id)}
			q.byID[id] = l
			if !l.granted {
				b.waits++
			}
		} else if l.batches[len(l.batches)-1] == b { // it names the id twice
			continue
		} else {
			b.waits++
		}
		l.batches = append(l.batches, b)
	}
}

// free grants an id that nobody in flight names any more to the first that waits for it.
func (q *lines) free(id string) {
	if !q.has(id) {
		return
	}
	l := q.byID[id]
	if q.steps++; l.granted {
		return
	}
	l.granted = true
	if b := l.batches[0]; b.waits > 1 {
		b.waits--
	} else {
		b.waits = 0
		heap.Push(&q.ready, b)
	}
}

// next takes the batch that came first of those that need not wait any more out of its lines; nil if there is none.
func (q *lines) next() *batch {
	if len(q.ready) == 0 {
		return nil
	}
	b := heap.Pop(&q.ready).(*batch)
	for i := range b.reqs {
		id := b.reqs[i].id()
		l := q.byID[id]
		if q.steps++; l == nil || l.batches[0] != b {
			continue
		}
		l.batches[0] = nil
		l.batches, l.granted = l.batches[1:], false
		if len(l.batches) == 0 {
			delete(q.byID, id)
		}
	}
	return b
}
