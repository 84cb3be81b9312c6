package intent

import (
	"hash/maphash"
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/program"
)

// Update is what the core has come to for one intent.
type Update struct {
	Number   uint32
	State    State
	Code     Code
	Retrying bool
	Gone     bool // its rules are gone: the number and the id are free
	Text     string
	Program  *program.Program
}

// waiter waits for an intent to come to one of some states.
type waiter struct {
	states []State
	found  chan Intent // gets the intent, or is closed when it is gone
}

// publish shows updates.
func (f *front) publish(updates []Update) {
	if len(updates) == 0 {
		return
	}
	f.events.revision++
	for i := range updates {
		u := &updates[i]
		if !f.records.has(u.Number) {
			continue
		}
		if u.Gone {
			f.release(u.Number)
			continue
		}
		f.update(u, f.records.at(u.Number))
	}
	f.events.ringBell()
}

// update shows one update. One that is being withdrawn stays so until it is gone.
func (f *front) update(u *Update, r *record) {
	r.program = u.Program
	if r.state == Withdrawing && u.State != Withdrawing {
		return
	}
	if u.Text != "" || r.texted {
		if r.texted = u.Text != ""; r.texted {
			f.texts[u.Number] = u.Text
		} else {
			delete(f.texts, u.Number)
		}
	}
	if r.state != u.State {
		f.setState(r, u.State)
	}
	r.code, r.retrying, r.revision = u.Code, u.Retrying, f.events.revision
	f.note(u.Number, r)
}

// note makes an event of a record as it is, and answers who waits for it.
func (f *front) note(n uint32, r *record) {
	f.events.append(event{id: r.id(), revision: f.events.revision, number: n, state: r.state, code: r.code})
	f.answer(n, r)
}

// answer answers who waits for an intent, if its state is of the content that it has.
func (f *front) answer(n uint32, r *record) {
	if f.waiting == 0 || r.busy() || r.unseen > 0 || len(f.waiters[n]) == 0 {
		return
	}
	f.waiters[n] = slices.DeleteFunc(f.waiters[n], func(w *waiter) bool {
		if !slices.Contains(w.states, r.state) {
			return false
		}
		w.found <- f.intent(n)
		f.waiting--
		return true
	})
	if len(f.waiters[n]) == 0 {
		delete(f.waiters, n)
	}
}

// release forgets an intent whose rules are gone.
func (f *front) release(n uint32) {
	r := f.records.at(n)
	f.ids.remove(maphash.String(f.seed, r.id()), n)
	if r.texted {
		delete(f.texts, n)
	}
	f.counts[r.state]--
	f.events.append(event{id: r.id(), revision: f.events.revision, number: n, state: Withdrawing, gone: true})
	f.dismiss(n)
	*r = record{}
	f.free = append(f.free, n)
}

// dismiss tells who waits for an intent that it is no more.
func (f *front) dismiss(n uint32) {
	for _, w := range f.waiters[n] {
		close(w.found)
		f.waiting--
	}
	delete(f.waiters, n)
}

// seen notes that what the core has made of commits is shown.
func (f *front) seen(commits []Commit) {
	for i := range commits {
		n := commits[i].Number
		if !f.records.has(n) { // gone by it
			continue
		}
		r := f.records.at(n)
		r.unseen--
		f.answer(n, r)
	}
	if len(commits) > 0 { // they are events, also where nothing else follows from them
		f.events.ringBell()
	}
}

// load takes an intent from the journal, at the start.
func (f *front) load(n uint32, content string, s *spec.Spec) {
	f.records.reserve(n)
	f.last = max(f.last, n)
	*f.records.at(n) = record{content: content, state: Submitted, since: f.config.Now().UnixNano()}
	f.counts[Submitted]++
	f.ids.add(maphash.String(f.seed, s.ID), n)
	f.addClaims(s, n)
}

// loaded ends the loading: numbers in between are free.
func (f *front) loaded() {
	for n := f.last; n > 0; n-- {
		f.records.reserve(n)
		if !f.records.has(n) {
			f.free = append(f.free, n)
		}
	}
}

// page copies records in the order of their numbers, after one: at most limit, looking at no more than pageNumbers numbers. last is the last
// number looked at, 0 at the end.
func (f *front) page(after uint32, limit int, buf []numbered) (list []numbered, last uint32) {
	list = buf
	for n := after + 1; n <= f.last; n++ {
		if f.shown(n) {
			r := f.records.at(n).durable()
			list = append(list, numbered{n, r, f.text(n, &r)})
		}
		if len(list) == limit || n-after == pageNumbers {
			return list, n
		}
	}
	return list, 0
}

// pageNumbers is how many numbers are looked at while the lock is held.
const pageNumbers = 4096

// numbered is a copy of a record.
type numbered struct {
	number uint32
	record record
	text   string
}
