package intent

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/weirnet/weir/intent/spec"
)

// keyedID derives an id from an idempotency key: the same each time, across restarts.
func keyedID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "key-" + hex.EncodeToString(sum[:12])
}

// makeID makes an unused id from the number and the current second, since numbers are reused.
func (cat *catalog) makeID(n uint32) string {
	id := "i" + strconv.FormatUint(uint64(n), 10) + "-" + strconv.FormatInt(cat.config.Now().Unix(), 36)
	for cat.find(id) != 0 || cat.idQueues.has(id) {
		id += "x"
	}
	return id
}

// committed completes a batch: it is durable, or (err) it is not and has no effect. The journal
// calls it in the order of its commits.
func (cat *catalog) committed(b *batch, err error) {
	cat.mu.Lock()
	touched := b.undo
	if err != nil {
		cat.totals.Failures += uint64(len(b.reqs))
		cat.revert(b)
		for i := range touched { // updates of the core since then were not shown
			if n := touched[i].number; cat.has(n) {
				cat.entries.At(n).unprocessed++
				cat.commits = append(cat.commits, Commit{n, cat.entries.At(n).content})
			}
		}
	} else {
		cat.events.Current++
		for i := range b.undo {
			u := &b.undo[i]
			rec := cat.entries.At(u.number)
			rec.pending, rec.revision = nil, cat.events.Current
			rec.unprocessed++
			cat.commits = append(cat.commits, u.commit)
			if u.commit.Content == "" { // a withdrawal: the code was of the state before
				rec.code, rec.retrying = NoCode, false
				cat.setText(u.number, rec, "")
			}
			cat.appendEvent(u.number, rec)
		}
		for i := range b.answers {
			if a := &b.answers[i]; a.Status == Accepted {
				a.Revision = cat.events.Current
			}
		}
		cat.count(b)
	}
	cat.inFlight -= len(b.reqs)
	ended := cat.resume(touched)
	cat.mu.Unlock()
	cat.config.wake()
	if err != nil {
		b.done(nil, err)
	} else {
		b.done(b.answers, nil)
	}
	for _, e := range ended {
		e.batch.done(e.batch.answers, e.err)
	}
}

// endedBatch is a deferred batch whose answers are complete.
type endedBatch struct {
	batch *batch
	err   error
}

// resume admits the batches that were deferred because of ids in touched, or of each other, in the
// order of their arrival.
func (cat *catalog) resume(touched []undo) (list []endedBatch) {
	if len(cat.idQueues.byID) == 0 {
		return nil
	}
	for i := range touched {
		cat.idQueues.free(touched[i].id())
	}
	for b := cat.idQueues.next(); b != nil; b = cat.idQueues.next() {
		if finished, err := cat.admit(b); finished || err != nil {
			if err != nil {
				b.answers = nil
			}
			list = append(list, endedBatch{b, err})
		}
		for i := range b.reqs {
			if id := b.reqs[i].id(); cat.idQueues.has(id) && !cat.inFlightID(id) { // the batch has not changed this intent
				cat.idQueues.free(id)
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
func (cat *catalog) revert(b *batch) {
	for i := len(b.undo) - 1; i >= 0; i-- {
		u := &b.undo[i]
		rec := cat.entries.At(u.number)
		if u.commit.Content != "" {
			cat.admission.release(rec.content, u.number)
		}
		cat.counts[rec.state]--
		if u.before.content == "" {
			cat.ids.Remove(cat.hashID(rec.id()), u.number)
			cat.closeWaiters(u.number)
			*rec = catalogEntry{}
			cat.free = append(cat.free, u.number)
			continue
		}
		cat.restoreEntry(rec, u)
	}
	b.undo = nil
}

// restoreEntry undoes a change of an entry, except for updates of the core since.
func (cat *catalog) restoreEntry(rec *catalogEntry, u *undo) {
	rec.content, rec.pending = u.before.content, nil
	if u.commit.Content == "" {
		rec.state, rec.since = u.before.state, u.before.since
	}
	cat.counts[rec.state]++
	s := spec.Read(rec.content)
	if rec.state != Withdrawing {
		cat.admission.hold(&s, u.number)
	}
}
