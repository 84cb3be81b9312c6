package intent

import (
	"bytes"

	"github.com/weirnet/weir/program"
)

// excuse takes back that a past program's rules are awaited to be gone, where a new one has its own in their place: flowsync says nothing of
// an order that a later one for the same place has overtaken.
func (p *past) excuse(g *program.Program) {
	if !p.ordered || p.left == 0 {
		return
	}
	for r := range p.program.Len() {
		if p.await.has(uint16(r)) && inPlace(p.program, r, g) {
			p.await.clear(uint16(r))
			p.left--
		}
	}
}

// inPlace tells whether a program has a rule in the place of another's.
func inPlace(p *program.Program, rule int, g *program.Program) bool {
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

// retire orders the removal of the rules of past programs that are due, where nothing else of the intent has taken their place, and forgets those whose
// rules are gone.
func (c *Core) retire(n uint32, e *entry) {
	ch := e.change
	for i := range ch.past {
		p := &ch.past[i]
		if p.ordered || p.due.IsZero() || p.due.After(c.now) {
			continue
		}
		p.ordered = true
		for r := range p.program.Len() {
			if inPlace(p.program, r, e.program) || ch.inLater(i, r) {
				continue
			}
			c.orders = append(c.orders, Order{Program: p.program, Rule: uint16(r), Remove: true})
			p.await.set(uint16(r))
			p.left++
		}
	}
	c.forget(n, e)
}

// inLater tells whether the place of a rule of a past program is one of a later program, which takes care of it.
func (ch *change) inLater(i, rule int) bool {
	for k := i + 1; k < len(ch.past); k++ {
		if inPlace(ch.past[i].program, rule, ch.past[k].program) {
			return true
		}
	}
	return false
}

// forget drops the past programs whose rules are gone, and the intent with the last of them if it is withdrawn.
func (c *Core) forget(n uint32, e *entry) {
	ch := e.change
	kept := ch.past[:0]
	for i := range ch.past {
		if p := ch.past[i]; p.ordered && p.left == 0 {
			c.places.leave(p.program)
			c.vacate(n, e, p.program, kept, ch.past[i+1:])
			c.unblock(n)
		} else {
			kept = append(kept, p)
		}
	}
	clear(ch.past[len(kept):])
	ch.past = kept
	if len(ch.past) == 0 && e.has(leaving) {
		c.gone(n, e)
		return
	}
	c.tidy(e)
}

// removed takes the news that a rule of a past program is gone.
func (c *Core) removed(n uint32, e *entry, o *Outcome) {
	ch := e.change
	if ch == nil {
		return
	}
	for i := range ch.past {
		p := &ch.past[i]
		if p.program != o.Program || !p.await.clear(o.Rule) {
			continue
		}
		if p.left--; p.left == 0 {
			c.forget(n, e)
		}
		return
	}
}
