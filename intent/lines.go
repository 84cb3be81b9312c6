package intent

import "github.com/weirnet/weir/timerq"

// lines are batches that wait because they name ids which others, in flight or before them, name
// too: a line for each such id, in the order in which they came. Joining, moving up and leaving
// cost the ids that a batch names, however many wait.
type lines struct {
	byID  map[string]*line
	ready timerq.Queue[uint64, *batch] // that stand first in all their lines, by seq
	last  uint64                       // the place given out last
	steps uint64                       // how many times a batch was looked at in a line
}

// line are the batches that name one id; the first has it once nobody in flight does.
type line struct {
	batches []*batch
	granted bool // to the first
}

// has reports whether anybody waits for an id.
func (q *lines) has(id string) bool { return len(q.byID) > 0 && q.byID[id] != nil }

// join puts a batch at the end of the lines of its ids, one of which at least is busy or has a
// line.
func (q *lines) join(b *batch, busy func(id string) bool) {
	if q.byID == nil {
		q.byID = make(map[string]*line)
	}
	q.last++
	b.seq = q.last
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
				b.blockedIDs++
			}
		} else if l.batches[len(l.batches)-1] == b { // it names the id twice
			continue
		} else {
			b.blockedIDs++
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
	if b := l.batches[0]; b.blockedIDs > 1 {
		b.blockedIDs--
	} else {
		b.blockedIDs = 0
		q.ready.Add(b.seq, b)
	}
}

// next takes the batch that came first of those that need not wait any more out of its lines; nil
// if there is none.
func (q *lines) next() *batch {
	if q.ready.Len() == 0 {
		return nil
	}
	b := q.ready.Pop()
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
