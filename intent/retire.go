package intent

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// retiring is a rule set whose rules go.
type retiring struct {
	rules       *ruleset.Set
	due         time.Time // when to remove them; zero while the new rule set is not confirmed
	ordered     bool
	outstanding int
	await       bits
}

// dropReplaced stops awaiting the removal of rules that a new rule set overwrites: flowsync sends
// no outcome for an order that a later one with the same match supersedes.
func (p *retiring) dropReplaced(g *ruleset.Set) {
	if !p.ordered || p.outstanding == 0 {
		return
	}
	for r := range p.rules.Len() {
		if p.await.has(uint16(r)) && hasRuleAt(p.rules, r, g) {
			p.await.clear(uint16(r))
			p.outstanding--
		}
	}
}

// scheduleRetiring has the retiring rule sets of a transition removed when packets in flight have
// arrived.
func (t *transitions) scheduleRetiring(n uint32, tr *transition) {
	for i := range tr.retiring {
		if p := &tr.retiring[i]; p.due.IsZero() {
			p.due = t.step.now.Add(t.status.Linger(p.rules))
			t.timers.Add(p.due, n)
		}
	}
}

// hasRuleAt reports whether g has a rule with the same key as a rule of p.
func hasRuleAt(p *ruleset.Set, rule int, g *ruleset.Set) bool {
	return g != nil && hopAt(p, rule, g) != nil
}

// retire orders the removal of due retiring rule sets, except for rules that a later rule set of
// the intent has overwritten, and drops those whose rules are gone.
func (t *transitions) retire(n uint32, e *coreEntry) {
	tr := e.transition
	for i := range tr.retiring {
		p := &tr.retiring[i]
		if p.ordered || p.due.IsZero() || p.due.After(t.step.now) {
			continue
		}
		p.ordered = true
		for r := range p.rules.Len() {
			if hasRuleAt(p.rules, r, e.rules) || tr.inLater(i, r) {
				continue
			}
			t.step.remove(p.rules, r)
			p.await.set(uint16(r))
			p.outstanding++
		}
	}
	t.forget(n, e)
}

// inLater reports whether a later retiring rule set has a rule with the same key, and will remove
// it.
func (tr *transition) inLater(i, rule int) bool {
	for k := i + 1; k < len(tr.retiring); k++ {
		if hasRuleAt(tr.retiring[i].rules, rule, tr.retiring[k].rules) {
			return true
		}
	}
	return false
}

// gone notes that the rules of a rule set are gone; others are those of the intent that are still being
// removed.
func (t *transitions) gone(n uint32, g *ruleset.Set, others ...[]retiring) {
	for r := range g.Routes() {
		if !slices.ContainsFunc(others, func(list []retiring) bool { return holdsRoute(list, r) }) {
			t.registry.RemoveRetiring(r, n)
		}
	}
}

func holdsRoute(list []retiring, r *ruleset.Route) bool {
	return slices.ContainsFunc(list, func(p retiring) bool { return p.rules.Takes(r) })
}

// forget drops the retiring rule sets whose rules are gone, and after the last of them the intent
// if it is withdrawn.
func (t *transitions) forget(n uint32, e *coreEntry) {
	tr := e.transition
	kept := tr.retiring[:0]
	for i := range tr.retiring {
		if p := tr.retiring[i]; p.ordered && p.outstanding == 0 {
			t.conflicts.Remove(p.rules)
			t.tags.release(p.rules)
			t.gone(n, p.rules, kept, tr.retiring[i+1:])
			t.waiting.unblock(n)
		} else {
			kept = append(kept, p)
		}
	}
	clear(tr.retiring[len(kept):])
	tr.retiring = kept
	if len(tr.retiring) == 0 && e.has(withdrawing) {
		t.drop(n, e)
		return
	}
	t.end(e)
}

// removed handles the confirmed removal of a rule of a retiring rule set.
func (t *transitions) removed(n uint32, e *coreEntry, o *ruleset.Outcome) {
	tr := e.transition
	if tr == nil {
		return
	}
	for i := range tr.retiring {
		p := &tr.retiring[i]
		if p.rules != o.Rules || !p.await.clear(o.Rule) {
			continue
		}
		if p.outstanding--; p.outstanding == 0 {
			t.forget(n, e)
		}
		return
	}
}

// retireNow orders the removal of all retiring rule sets, due or not.
func (t *transitions) retireNow(n uint32, e *coreEntry) {
	for i := range e.transition.retiring {
		e.transition.retiring[i].due = t.step.now
	}
	t.retire(n, e)
}

// drop deletes an intent whose rules are gone.
func (t *transitions) drop(n uint32, e *coreEntry) {
	if e.transition != nil {
		t.moves.Free(&e.transition.Transition)
	}
	t.decisions.mark(n, e)
	*e = coreEntry{flags: e.flags & (saved | unsaved)}
	t.tags.forget(n)
	t.progress.forget(n)
	t.step.update(Update{Number: n, Gone: true})
	t.waiting.unblock(n)
}

// retiringAt reports whether a switch still has, as far as it has answered, rules that are being
// removed.
func (tr *transition) retiringAt(dpid netview.DPID) bool {
	if tr == nil {
		return false
	}
	for i := range tr.retiring {
		p := &tr.retiring[i]
		for rule := range p.rules.Len() {
			_, hop := p.rules.At(rule)
			if hop.DPID == dpid && (!p.ordered || p.await.has(uint16(rule))) {
				return true
			}
		}
	}
	return false
}
