package intent

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"strconv"
)

// keyedID is the id of an intent without one that came with an idempotency key: the same each time, in every life of an instance.
func keyedID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "key-" + hex.EncodeToString(sum[:12])
}

// makeID makes an id that no intent has: of the number, and of the second, since numbers are used again.
func (f *front) makeID(n uint32) string {
	id := "i" + strconv.FormatUint(uint64(n), 10) + "-" + strconv.FormatInt(f.config.Now().Unix(), 36)
	for f.lookUp(id) != 0 || f.lines.has(id) {
		id += "x"
	}
	return id
}

// committed ends a batch: it is durable, or (err) it is not and was not. The journal calls it in the order of its commits.
func (f *front) committed(b *batch, err error) {
	f.mu.Lock()
	touched := b.undo
	if err != nil {
		f.totals.Failures += uint64(len(b.reqs))
		f.revert(b)
		for i := range touched { // what the core has said of it meanwhile was not shown
			if n := touched[i].number; f.records.has(n) {
				f.records.at(n).unseen++
				f.out = append(f.out, Commit{n, f.records.at(n).content})
			}
		}
	} else {
		f.events.revision++
		for i := range b.undo {
			u := &b.undo[i]
			rec := f.records.at(u.number)
			rec.pending, rec.revision = nil, f.events.revision
			rec.unseen++
			f.out = append(f.out, u.out)
			f.note(u.number, rec)
		}
		for i := range b.answers {
			if a := &b.answers[i]; a.Status == Accepted {
				a.Revision = f.events.revision
			}
		}
		f.count(b)
	}
	f.inFlight -= len(b.reqs)
	ended := f.resume(touched)
	f.mu.Unlock()
	f.config.wake()
	if err != nil {
		b.done(nil, err)
	} else {
		b.done(b.answers, nil)
	}
	for _, e := range ended {
		e.batch.done(e.batch.answers, e.err)
	}
}

// ended is a batch that has waited and has its answers already.
type ended struct {
	batch *batch
	err   error
}

// resume admits batches that have waited for what a batch touched, and for each other, those that can be: in the order in which they came.
func (f *front) resume(touched []undo) (list []ended) {
	if len(f.lines.byID) == 0 {
		return nil
	}
	for i := range touched {
		f.lines.free(touched[i].id())
	}
	for b := f.lines.next(); b != nil; b = f.lines.next() {
		if finished, err := f.admit(b); finished || err != nil {
			if err != nil {
				b.answers = nil
			}
			list = append(list, ended{b, err})
		}
		for i := range b.reqs {
			if id := b.reqs[i].id(); f.lines.has(id) && !f.busy(id) { // it has not changed what it named
				f.lines.free(id)
			}
		}
	}
	return list
}

// id is the id of what was changed.
func (u *undo) id() string {
	if u.out.Content != "" {
		return idOf(u.out.Content)
	}
	return idOf(u.before.content)
}

// revert takes back what a batch has changed.
func (f *front) revert(b *batch) {
	for i := len(b.undo) - 1; i >= 0; i-- {
		u := &b.undo[i]
		rec := f.records.at(u.number)
		if u.out.Content != "" {
			f.removeClaims(rec.content, u.number)
		}
		f.counts[rec.state]--
		if u.before.content == "" {
			f.ids.remove(maphash.String(f.seed, rec.id()), u.number)
			f.dismiss(u.number)
			*rec = record{}
			f.free = append(f.free, u.number)
			continue
		}
		f.restore(rec, u)
	}
	b.undo = nil
}

// restore makes a record what it was, but for what the core has said of it since.
func (f *front) restore(rec *record, u *undo) {
	rec.content, rec.pending = u.before.content, nil
	if u.out.Content == "" {
		rec.state, rec.since = u.before.state, u.before.since
	}
	f.counts[rec.state]++
	s := parsed(rec.content)
	if rec.state != Withdrawing {
		f.addClaims(&s, u.number)
	}
}
