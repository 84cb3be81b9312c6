package intent

import (
	"slices"

	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/trace"
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
func (cat *catalog) publish(updates []Update) {
	if len(updates) == 0 {
		return
	}
	cat.events.Current++
	for i := range updates {
		u := &updates[i]
		if !cat.has(u.Number) {
			continue
		}
		if u.Gone {
			cat.delete(u.Number)
			continue
		}
		cat.update(u, cat.entries.At(u.Number))
	}
	cat.events.Wake()
	trace.At(trace.Published)
}

// update applies one update. An intent that is being withdrawn stays so until it is deleted.
func (cat *catalog) update(u *Update, r *catalogEntry) {
	r.rules = u.Rules
	if r.state == Withdrawing && u.State != Withdrawing {
		return
	}
	cat.setText(u.Number, r, u.Text)
	if r.state != u.State {
		cat.setState(r, u.State)
	}
	r.code, r.retrying, r.revision = u.Code, u.Retrying, cat.events.Current
	cat.appendEvent(u.Number, r)
}

// setText sets the text of an intent, which may be empty.
func (cat *catalog) setText(n uint32, r *catalogEntry, text string) {
	if r.hasText = text != ""; r.hasText {
		cat.texts[n] = text
	} else {
		delete(cat.texts, n)
	}
}

// appendEvent appends an event with the state of an entry, and answers its waiters.
func (cat *catalog) appendEvent(n uint32, r *catalogEntry) {
	cat.events.Append(event{id: r.id(), revision: cat.events.Current, number: n, state: r.state, code: r.code})
	cat.answerWaiters(n, r)
}

// answerWaiters answers waiters of an intent, if its state belongs to its current content.
func (cat *catalog) answerWaiters(n uint32, r *catalogEntry) {
	if cat.waiting == 0 || r.inFlight() || r.unprocessed > 0 || len(cat.waiters[n]) == 0 {
		return
	}
	in := cat.copyOf(n)
	cat.dropWaiters(n, func(w *waiter) bool {
		if !slices.Contains(w.states, r.state) {
			return false
		}
		w.found <- in.intent()
		return true
	})
}

// dropWaiters removes the waiters of an intent for which ended returns true.
func (cat *catalog) dropWaiters(n uint32, ended func(*waiter) bool) {
	kept := slices.DeleteFunc(cat.waiters[n], func(w *waiter) bool {
		if ended(w) {
			cat.waiting--
			return true
		}
		return false
	})
	if len(kept) > 0 {
		cat.waiters[n] = kept
	} else {
		delete(cat.waiters, n)
	}
}

// delete deletes an intent whose rules are gone.
func (cat *catalog) delete(n uint32) {
	r := cat.entries.At(n)
	cat.ids.Remove(cat.hashID(r.id()), n)
	cat.setText(n, r, "")
	cat.counts[r.state]--
	cat.events.Append(event{id: r.id(), revision: cat.events.Current, number: n, state: Withdrawing, gone: true})
	cat.closeWaiters(n)
	*r = catalogEntry{}
	cat.free = append(cat.free, n)
}

// closeWaiters ends the waits for a deleted intent.
func (cat *catalog) closeWaiters(n uint32) {
	cat.dropWaiters(n, func(w *waiter) bool { close(w.found); return true })
}

// processed notes that the core has processed commits.
func (cat *catalog) processed(commits []Commit) {
	for i := range commits {
		n := commits[i].Number
		if !cat.has(n) { // deleted by it
			continue
		}
		r := cat.entries.At(n)
		r.unprocessed--
		cat.answerWaiters(n, r)
	}
	if len(commits) > 0 { // commits are events, even without an update
		cat.events.Wake()
	}
}
