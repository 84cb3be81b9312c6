package intent

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"strconv"

	"github.com/weirnet/weir/intent/spec"
)

// keyedID derives an id from an idempotency key: the same each time, across restarts.
func keyedID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "key-" + hex.EncodeToString(sum[:12])
}

// makeID makes an unused id from the number and the current second, since numbers are reused.
func (adm *admission) makeID(n uint32) string {
	id := "i" + strconv.FormatUint(uint64(n), 10) + "-" + strconv.FormatInt(adm.config.Now().Unix(), 36)
	for adm.find(id) != 0 || adm.idQueues.has(id) {
		id += "x"
	}
	return id
}

// committed completes a batch: it is durable, or (err) it is not and has no effect. The journal
// calls it in the order of its commits.
func (adm *admission) committed(b *batch, err error) {
	adm.mu.Lock()
	touched := b.undo
	if err != nil {
		adm.totals.Failures += uint64(len(b.reqs))
		adm.revert(b)
		for i := range touched { // updates of the core since then were not shown
			if n := touched[i].number; adm.records.has(n) {
				adm.records.at(n).unprocessed++
				adm.commits = append(adm.commits, Commit{n, adm.records.at(n).content})
			}
		}
	} else {
		adm.events.Current++
		for i := range b.undo {
			u := &b.undo[i]
			rec := adm.records.at(u.number)
			rec.pending, rec.revision = nil, adm.events.Current
			rec.unprocessed++
			adm.commits = append(adm.commits, u.commit)
			adm.appendEvent(u.number, rec)
		}
		for i := range b.answers {
			if a := &b.answers[i]; a.Status == Accepted {
				a.Revision = adm.events.Current
			}
		}
		adm.count(b)
	}
	adm.inFlight -= len(b.reqs)
	ended := adm.resume(touched)
	adm.mu.Unlock()
	adm.config.wake()
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
func (adm *admission) resume(touched []undo) (list []endedBatch) {
	if len(adm.idQueues.byID) == 0 {
		return nil
	}
	for i := range touched {
		adm.idQueues.free(touched[i].id())
	}
	for b := adm.idQueues.next(); b != nil; b = adm.idQueues.next() {
		if finished, err := adm.admit(b); finished || err != nil {
			if err != nil {
				b.answers = nil
			}
			list = append(list, endedBatch{b, err})
		}
		for i := range b.reqs {
			if id := b.reqs[i].id(); adm.idQueues.has(id) && !adm.inFlightID(id) { // the batch has not changed this intent
				adm.idQueues.free(id)
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
func (adm *admission) revert(b *batch) {
	for i := len(b.undo) - 1; i >= 0; i-- {
		u := &b.undo[i]
		rec := adm.records.at(u.number)
		if u.commit.Content != "" {
			adm.removeClaims(rec.content, u.number)
		}
		adm.counts[rec.state]--
		if u.before.content == "" {
			adm.ids.Remove(maphash.String(adm.seed, rec.id()), u.number)
			adm.closeWaiters(u.number)
			*rec = record{}
			adm.free = append(adm.free, u.number)
			continue
		}
		adm.restoreRecord(rec, u)
	}
	b.undo = nil
}

// restoreRecord undoes a change of a record, except for updates of the core since.
func (adm *admission) restoreRecord(rec *record, u *undo) {
	rec.content, rec.pending = u.before.content, nil
	if u.commit.Content == "" {
		rec.state, rec.since = u.before.state, u.before.since
	}
	adm.counts[rec.state]++
	s := spec.Read(rec.content)
	if rec.state != Withdrawing {
		adm.addClaims(&s, u.number)
	}
}
