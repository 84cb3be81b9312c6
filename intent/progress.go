package intent

import (
	"github.com/weirnet/weir/intent/paths"
)

// progress tells how far intents are. The state of one that has a rule set follows from its transition,
// its paths and the rules that switches have lost; of others it is said by who decides.
type progress struct {
	step     *step
	entries  *entries
	registry *paths.Registry
	lost     map[uint32]int // number of rules that switches lost, by intent
}

// emit appends an update of an intent.
func (p *progress) emit(n uint32, e *coreEntry, text string) {
	p.step.update(Update{
		Number: n, State: e.state, Code: e.code, Retrying: e.state == Failed && e.code != TooLarge, Text: text,
		Rules: e.rules,
	})
}

// refresh emits the state of an intent that has a rule set, if it has changed.
func (p *progress) refresh(n uint32) {
	e := p.entries.At(n)
	if e.rules == nil || e.has(withdrawing) || e.has(restorable) {
		return
	}
	if s, code := p.stateOf(n, e); s != e.state || code != e.code {
		e.state, e.code = s, code
		p.emit(n, e, "")
	}
}

// begun emits the state of an intent that has another rule set now.
func (p *progress) begun(n uint32, e *coreEntry) {
	e.state, e.code = p.stateOf(n, e)
	p.emit(n, e, "")
}

// stateOf returns the state of an intent that has a rule set.
func (p *progress) stateOf(n uint32, e *coreEntry) (State, Code) {
	if tr := e.transition; tr != nil && (!tr.done || tr.next != nil || tr.superseded) {
		switch {
		case tr.mode == install, tr.mode == hitless && (tr.requested || tr.superseded):
			return Installing, NoCode
		case tr.mode == immediate:
			return Rerouting, NoCode
		case tr.mode == restore:
			return Degraded, Unconfirmed
		}
	}
	switch {
	case len(p.lost) > 0 && p.lost[n] > 0:
		return Degraded, Drift
	case p.registry.Any(e.rules, (*paths.Path).Unconfirmed):
		return Degraded, Unconfirmed
	}
	return Installed, NoCode
}

// lostRule notes that a switch has lost a rule of an intent's rule set.
func (p *progress) lostRule(n uint32) {
	p.step.counts.Lost++
	p.lost[n]++
	p.refresh(n)
}

// regained notes that a switch has confirmed a rule that nobody awaits: one that was lost.
func (p *progress) regained(n uint32) {
	if p.lost[n] == 0 {
		return
	}
	if p.lost[n]--; p.lost[n] == 0 {
		delete(p.lost, n)
	}
	p.refresh(n)
}

// forget forgets the rules that were lost: the rule set is another now, or the intent is gone.
func (p *progress) forget(n uint32) { delete(p.lost, n) }
