package intent

import (
	"bytes"

	"github.com/weirnet/weir/ruleset"
)

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

// hasRuleAt reports whether g has a rule with the same key as a rule of p.
func hasRuleAt(p *ruleset.Set, rule int, g *ruleset.Set) bool {
	if g == nil || p.Priority != g.Priority {
		return false
	}
	leg, hop := p.At(rule)
	for i := range g.Legs {
		if !bytes.Equal(g.Legs[i].Match, leg.Match) {
			continue
		}
		for k := range g.Legs[i].Route.Hops {
			if h := g.Legs[i].Route.Hops[k]; h.DPID == hop.DPID && h.In == hop.In {
				return true
			}
		}
	}
	return false
}

// retire orders the removal of due retiring rule sets, except for rules that a later rule set of
// the intent has overwritten, and drops those whose rules are gone.
func (c *Core) retire(n uint32, e *entry) {
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
			c.orders = append(c.orders, Order{Program: p.rules, Rule: uint16(r), Remove: true})
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
func (c *Core) forget(n uint32, e *entry) {
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
func (c *Core) removed(n uint32, e *entry, o *Outcome) {
	tr := e.transition
	if tr == nil {
		return
	}
	for i := range tr.retiring {
		p := &tr.retiring[i]
		if p.rules != o.Program || !p.await.clear(o.Rule) {
			continue
		}
		if p.outstanding--; p.outstanding == 0 {
			c.forget(n, e)
		}
		return
	}
}
