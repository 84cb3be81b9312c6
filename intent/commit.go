package intent

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/weirnet/weir/intent/spec"
)

// keyedID derives an id from an idempotency key: the same each time, across restarts.
func keyedID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "key-" + hex.EncodeToString(sum[:12])
}

// committed completes a batch: it is durable, or (err) it is not and has no effect. The journal
// calls it in the order of its commits.
func (s *submissions) committed(b *batch, err error) {
	s.mu.Lock()
	touched := b.undo
	if err != nil {
		s.failed(b)
	} else {
		s.durable(b)
	}
	s.inFlight -= len(b.reqs)
	ended := s.resume(touched)
	s.takeUndoList(touched)
	s.mu.Unlock()
	s.config.wake()
	if err != nil {
		b.done(nil, err)
	} else {
		b.done(b.answers, nil)
	}
	for _, e := range ended {
		e.batch.done(e.batch.answers, e.err)
	}
}

// failed undoes a batch whose commit failed.
func (s *submissions) failed(b *batch) {
	touched := b.undo
	s.totals.Failures += uint64(len(b.reqs))
	s.revert(b)
	for i := range touched { // updates of the core since then were not shown
		if n := touched[i].number; s.records.has(n) {
			r := s.records.entries.At(n)
			r.unprocessed++
			s.commits = append(s.commits, Commit{n, r.content})
		}
	}
}

// durable shows a batch that is durable, and passes it to the core.
func (s *submissions) durable(b *batch) {
	s.shown.events.Current++
	for i := range b.undo {
		u := &b.undo[i]
		rec := s.records.entries.At(u.number)
		rec.pending = nil
		rec.unprocessed++
		s.commits = append(s.commits, u.commit)
		s.shown.committed(u.number, rec, u.commit.Content == "")
	}
	for i := range b.answers {
		if a := &b.answers[i]; a.Status == Accepted {
			a.Revision = s.shown.events.Current
		}
	}
	s.count(b)
}

// endedBatch is a deferred batch whose answers are complete.
type endedBatch struct {
	batch *batch
	err   error
}

// resume admits the batches that were deferred because of ids in touched, or of each other, in the
// order of their arrival.
func (s *submissions) resume(touched []undo) (list []endedBatch) {
	if len(s.idQueues.byID) == 0 {
		return nil
	}
	for i := range touched {
		s.idQueues.free(touched[i].id())
	}
	for b := s.idQueues.next(); b != nil; b = s.idQueues.next() {
		if finished, err := s.admit(b); finished || err != nil {
			if err != nil {
				b.answers = nil
			}
			list = append(list, endedBatch{b, err})
		}
		for i := range b.reqs {
			if id := b.reqs[i].id(); s.idQueues.has(id) && !s.records.inFlight(id) { // the batch has not changed this intent
				s.idQueues.free(id)
			}
		}
	}
	return list
}

// id returns the id of the changed intent.
func (u *undo) id() string {
	if u.commit.Content != "" {
		return idOf(u.commit.Content)
	}
	return idOf(u.before.content)
}

// revert undoes the changes of a batch.
func (s *submissions) revert(b *batch) {
	for i := len(b.undo) - 1; i >= 0; i-- {
		u := &b.undo[i]
		rec := s.records.entries.At(u.number)
		if u.commit.Content != "" {
			s.admission.claims.Release(rec.content, u.number)
		}
		if u.before.content == "" {
			s.shown.waiters.close(u.number)
			s.records.delete(u.number)
			continue
		}
		s.records.restore(rec, u)
		if rec.state != Withdrawing {
			held := spec.Read(rec.content)
			s.admission.claims.Hold(&held, u.number)
		}
	}
	b.undo = nil
}
