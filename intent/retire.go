package intent

import (
	"time"

	"github.com/weirnet/weir/pathing"
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
func (c *Core) scheduleRetiring(n uint32, tr *transition) {
	for i := range tr.retiring {
		if p := &tr.retiring[i]; p.due.IsZero() {
			p.due = c.now.Add(c.lingerTime(p.rules))
			c.timers.Add(p.due, n)
		}
	}
}

// hasRuleAt reports whether g has a rule with the same key as a rule of p.
func hasRuleAt(p *ruleset.Set, rule int, g *ruleset.Set) bool {
	return g != nil && hopAt(p, rule, g) != nil
}

// retire orders the removal of due retiring rule sets, except for rules that a later rule set of
// the intent has overwritten, and drops those whose rules are gone.
func (c *Core) retire(n uint32, e *coreEntry) {
	tr := e.transition
	for i := range tr.retiring {
		p := &tr.retiring[i]
		if p.ordered || p.due.IsZero() || p.due.After(c.now) {
			continue
		}
		p.ordered = true
		for r := range p.rules.Len() {
			if hasRuleAt(p.rules, r, e.rules) || tr.inLater(i, r) {
				continue
			}
			c.orders = append(c.orders, ruleset.Order{Rules: p.rules, Rule: uint16(r), Remove: true})
			p.await.set(uint16(r))
			p.outstanding++
		}
	}
	c.forget(n, e)
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

// forget drops the retiring rule sets whose rules are gone, and after the last of them the intent
// if it is withdrawn.
func (c *Core) forget(n uint32, e *coreEntry) {
	tr := e.transition
	kept := tr.retiring[:0]
	for i := range tr.retiring {
		if p := tr.retiring[i]; p.ordered && p.outstanding == 0 {
			c.conflicts.remove(p.rules)
			c.removeRules(n, p.rules, kept, tr.retiring[i+1:])
			c.unblock(n)
		} else {
			kept = append(kept, p)
		}
	}
	clear(tr.retiring[len(kept):])
	tr.retiring = kept
	if len(tr.retiring) == 0 && e.has(withdrawing) {
		c.drop(n, e)
		return
	}
	c.endTransition(e)
}

// removed handles the confirmed removal of a rule of a retiring rule set.
func (c *Core) removed(n uint32, e *coreEntry, o *ruleset.Outcome) {
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
			c.forget(n, e)
		}
		return
	}
}

// lingerTime is how long packets may be in flight on the paths of a rule set.
func (c *Core) lingerTime(g *ruleset.Set) time.Duration {
	longest, unknown := uint64(0), false
	for r := range routes(g) {
		sum := uint64(0)
		for _, hop := range r.Hops[1:] { // for a tree all links, which is an upper bound
			s := c.paths.inPorts.ofHop(hop)
			if !s.measured {
				s.measure(c.snap)
			}
			sum += s.latency
			unknown = unknown || s.uncertain
		}
		longest = max(longest, sum)
	}
	return pathing.Linger(longest, unknown)
}

// withdraw starts the removal of an intent: all its rules are removed at once.
func (c *Core) withdraw(n uint32, e *coreEntry) {
	if e.content == "" || e.has(withdrawing) {
		return
	}
	c.counts.Withdrawals++
	c.unwatchHosts(n, e)
	delete(c.refusals, n)
	if e.has(restorable) { // never ordered: rules of it in switches are removed as unknown ones
		e.rules = nil
		c.restoring--
	}
	e.flags = e.flags&^restorable | withdrawing
	e.state, e.code = Withdrawing, NoCode
	if e.rules != nil {
		c.startTransition(n, nil, strategy{mode: immediate}, nil)
	}
	if e.transition == nil {
		c.drop(n, e)
		return
	}
	c.emit(n, e, "")
	c.retireNow(n, e)
}

// retireNow orders the removal of all retiring rule sets, due or not.
func (c *Core) retireNow(n uint32, e *coreEntry) {
	for i := range e.transition.retiring {
		e.transition.retiring[i].due = c.now
	}
	c.retire(n, e)
}

// drop deletes an intent whose rules are gone.
func (c *Core) drop(n uint32, e *coreEntry) {
	if e.transition != nil {
		c.planner.moves.Free(&e.transition.Transition)
	}
	c.markUnsaved(n, e)
	*e = coreEntry{flags: e.flags & (saved | unsaved)}
	delete(c.lost, n)
	c.updates = append(c.updates, Update{Number: n, Gone: true})
	c.unblock(n)
}
