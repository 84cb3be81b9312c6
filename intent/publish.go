package intent

import (
	"hash/maphash"
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/ruleset"
)

// Update is a change of the state of one intent.
type Update struct {
	Number   uint32
	State    State
	Code     Code
	Retrying bool
	Gone     bool // deleted, with all its rules: the number and the id are free
	Text     string
	Rules    *ruleset.Set
}

// waiter waits for an intent to enter one of some states.
type waiter struct {
	states []State
	found  chan Intent // receives the intent, or is closed when it is deleted
}

// publish applies updates of the core.
func (adm *admission) publish(updates []Update) {
	if len(updates) == 0 {
		return
	}
	adm.events.Current++
	for i := range updates {
		u := &updates[i]
		if !adm.records.has(u.Number) {
			continue
		}
		if u.Gone {
			adm.release(u.Number)
			continue
		}
		adm.update(u, adm.records.at(u.Number))
	}
	adm.events.Wake()
}

// update applies one update. An intent that is being withdrawn stays so until it is deleted.
func (adm *admission) update(u *Update, r *record) {
	r.rules = u.Rules
	if r.state == Withdrawing && u.State != Withdrawing {
		return
	}
	if u.Text != "" || r.hasText {
		if r.hasText = u.Text != ""; r.hasText {
			adm.texts[u.Number] = u.Text
		} else {
			delete(adm.texts, u.Number)
		}
	}
	if r.state != u.State {
		adm.setState(r, u.State)
	}
	r.code, r.retrying, r.revision = u.Code, u.Retrying, adm.events.Current
	adm.appendEvent(u.Number, r)
}

// appendEvent appends an event with the state of a record, and answers its waiters.
func (adm *admission) appendEvent(n uint32, r *record) {
	adm.events.Append(event{id: r.id(), revision: adm.events.Current, number: n, state: r.state, code: r.code})
	adm.answerWaiters(n, r)
}

// answerWaiters answers waiters of an intent, if its state belongs to its current content.
func (adm *admission) answerWaiters(n uint32, r *record) {
	if adm.waiting == 0 || r.inFlight() || r.unprocessed > 0 || len(adm.waiters[n]) == 0 {
		return
	}
	adm.waiters[n] = slices.DeleteFunc(adm.waiters[n], func(w *waiter) bool {
		if !slices.Contains(w.states, r.state) {
			return false
		}
		w.found <- adm.intent(n)
		adm.waiting--
		return true
	})
	if len(adm.waiters[n]) == 0 {
		delete(adm.waiters, n)
	}
}

// release deletes an intent whose rules are gone.
func (adm *admission) release(n uint32) {
	r := adm.records.at(n)
	adm.ids.Remove(maphash.String(adm.seed, r.id()), n)
	if r.hasText {
		delete(adm.texts, n)
	}
	adm.counts[r.state]--
	adm.events.Append(event{id: r.id(), revision: adm.events.Current, number: n, state: Withdrawing, gone: true})
	adm.closeWaiters(n)
	*r = record{}
	adm.free = append(adm.free, n)
}

// closeWaiters ends the waits for a deleted intent.
func (adm *admission) closeWaiters(n uint32) {
	for _, w := range adm.waiters[n] {
		close(w.found)
		adm.waiting--
	}
	delete(adm.waiters, n)
}

// processed notes that the core has processed commits.
func (adm *admission) processed(commits []Commit) {
	for i := range commits {
		n := commits[i].Number
		if !adm.records.has(n) { // deleted by it
			continue
		}
		r := adm.records.at(n)
		r.unprocessed--
		adm.answerWaiters(n, r)
	}
	if len(commits) > 0 { // commits are events, even without an update
		adm.events.Wake()
	}
}

// load adds an intent from the journal, at the start.
func (adm *admission) load(n uint32, content string, s *spec.Spec) {
	adm.records.reserve(n)
	adm.last = max(adm.last, n)
	*adm.records.at(n) = record{content: content, state: Submitted, since: adm.config.Now().UnixNano()}
	adm.counts[Submitted]++
	adm.ids.add(maphash.String(adm.seed, s.ID), n)
	adm.addClaims(s, n)
}

// loaded ends the loading: numbers without a record are free.
func (adm *admission) loaded() {
	for n := adm.last; n > 0; n-- {
		adm.records.reserve(n)
		if !adm.records.has(n) {
			adm.free = append(adm.free, n)
		}
	}
}

// page copies visible records in the order of numbers, after one: at most limit, from no more than
// pageNumbers numbers. last is the last number examined, 0 at the end.
func (adm *admission) page(after uint32, limit int, buf []numberedRecord) (list []numberedRecord, last uint32) {
	list = buf
	for n := after + 1; n <= adm.last; n++ {
		if adm.visible(n) {
			r := adm.records.at(n).durable()
			list = append(list, numberedRecord{n, r, adm.text(n, &r)})
		}
		if len(list) == limit || n-after == pageNumbers {
			return list, n
		}
	}
	return list, 0
}

// pageNumbers is how many numbers are examined while the lock is held.
const pageNumbers = 4096

// numberedRecord is a copy of a record.
type numberedRecord struct {
	number uint32
	record record
	text   string
}
