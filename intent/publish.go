package intent

import (
	"slices"

	"github.com/weirnet/weir/changelog"
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

// publication is what readers are told of records: events, and the states that they wait for.
type publication struct {
	records *records
	events  changelog.Log[uint64, event] // Current is the revision of the newest event
	waiters waiters
}

func newPublication(x *records, events int) *publication {
	return &publication{records: x, events: newEventLog(events), waiters: waiters{byNumber: make(map[uint32][]*waiter)}}
}

// committed shows the entry of an intent whose content, or whose withdrawal, is durable now.
func (p *publication) committed(n uint32, r *catalogEntry, withdrawn bool) {
	r.revision = p.events.Current
	if withdrawn { // the code was of the state before
		r.code, r.retrying = NoCode, false
		p.records.setText(n, r, "")
	}
	p.append(n, r)
}

// publish applies updates of the core.
func (p *publication) publish(updates []Update) {
	if len(updates) == 0 {
		return
	}
	p.events.Current++
	for i := range updates {
		u := &updates[i]
		if !p.records.has(u.Number) {
			continue
		}
		if u.Gone {
			p.delete(u.Number)
			continue
		}
		p.update(u, p.records.entries.At(u.Number))
	}
	p.events.Wake()
	trace.At(trace.Published)
}

// update applies one update. An intent that is being withdrawn stays so until it is deleted.
func (p *publication) update(u *Update, r *catalogEntry) {
	r.rules = u.Rules
	if r.state == Withdrawing && u.State != Withdrawing {
		return
	}
	p.records.setText(u.Number, r, u.Text)
	if r.state != u.State {
		p.records.setState(r, u.State)
	}
	r.code, r.retrying, r.revision = u.Code, u.Retrying, p.events.Current
	p.append(u.Number, r)
}

// append appends an event with the state of an entry, and answers its waiters.
func (p *publication) append(n uint32, r *catalogEntry) {
	p.events.Append(event{id: r.id(), revision: p.events.Current, number: n, state: r.state, code: r.code})
	p.answer(n, r)
}

// answer answers waiters of an intent, if its state belongs to its current content.
func (p *publication) answer(n uint32, r *catalogEntry) {
	if p.waiters.count == 0 || r.inFlight() || r.unprocessed > 0 || len(p.waiters.byNumber[n]) == 0 {
		return
	}
	in := p.records.copyOf(n)
	p.waiters.drop(n, func(w *waiter) bool {
		if !slices.Contains(w.states, r.state) {
			return false
		}
		w.found <- in.intent()
		return true
	})
}

// delete deletes an intent whose rules are gone.
func (p *publication) delete(n uint32) {
	id := p.records.entries.At(n).id()
	p.events.Append(event{id: id, revision: p.events.Current, number: n, state: Withdrawing, gone: true})
	p.waiters.close(n)
	p.records.delete(n)
}

// processed notes that the core has processed commits.
func (p *publication) processed(commits []Commit) {
	for i := range commits {
		n := commits[i].Number
		if !p.records.has(n) { // deleted by it
			continue
		}
		r := p.records.entries.At(n)
		r.unprocessed--
		p.answer(n, r)
	}
	if len(commits) > 0 { // commits are events, even without an update
		p.events.Wake()
	}
}
