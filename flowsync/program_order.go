package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/program"
)

// orders takes orders for any switches.
func (c *Core) orders(list []Order, now time.Time) {
	var l *ledger
	for i := range list {
		o := &list[i]
		if dpid := dpidOf(o); l == nil || l.dpid != dpid {
			l = c.ledger(dpid)
			c.touch(l)
		}
		if l.programs == nil {
			l.programs = &programs{}
		}
		if o.Remove {
			c.orderRemoval(l, o)
		} else {
			c.orderRule(l, o)
		}
	}
}

// outcome tells what became of an order.
func (c *Core) outcome(p *program.Program, rule uint16, what What) {
	c.ready.Outcomes = append(c.ready.Outcomes, Outcome{Program: p, Rule: rule, What: what})
}

// refuse tells that an order is refused.
func (c *Core) refuse(p *program.Program, rule uint16, code openflow.ErrorCode, reason string) {
	c.ready.Outcomes = append(c.ready.Outcomes, Outcome{Program: p, Rule: rule, What: OrderRefused, Code: code, Reason: reason})
}

// orderRule takes an order for a rule.
func (c *Core) orderRule(l *ledger, o *Order) {
	p, a := l.programs, placeOf(o.Program, o.Rule)
	hash := a.hash()
	i, ok := p.find(a, hash)
	if !ok && p.used() >= rowsMax {
		c.refuse(o.Program, o.Rule, 0, fmt.Sprintf("%d rules are ordered at the switch, no more are kept", rowsMax))
		return
	}
	if !ok {
		i = p.add(o.Program, o.Rule, hash)
		p.set(i, rowWanted, 0)
		l.wait(i)
		return
	}
	r := &p.rows[i]
	owned := r.program.Kind == o.Program.Kind && r.program.Number == o.Program.Number
	switch {
	case r.flags&rowWanted != 0 && !owned:
		c.refuse(o.Program, o.Rule, 0, fmt.Sprintf("a rule of %s %d stands in its place", r.program.Kind, r.program.Number))
		return
	case r.flags&rowRemoval != 0:
		c.outcome(r.program, r.rule, OrderRemoved)
	}
	cleared, set := rowRemoval|rowGoing|rowTold, rowWanted
	if !same(r.program, r.rule, o.Program, o.Rule) {
		cleared |= rowSure
		delete(p.troubles, i)
	}
	if !owned && r.flags&(rowHeld|rowFlies) != 0 {
		set |= rowAlien
	}
	r.program, r.rule = o.Program, o.Rule
	p.set(i, set, cleared)
	if r.flags&rowSure != 0 && r.flags&(rowFlies|rowWaits) == 0 && l.phase == phaseReady && !c.doubtedRule(l, i) {
		c.told(l, i)
		return
	}
	l.wait(i)
}

// orderRemoval takes the order to remove what an owner has in a place.
func (c *Core) orderRemoval(l *ledger, o *Order) {
	p, a := l.programs, placeOf(o.Program, o.Rule)
	hash := a.hash()
	i, ok := p.find(a, hash)
	known := l.phase == phaseReady && p.unkept == 0 || l.phase == phaseDown && l.view == nil
	switch {
	case !ok && (known || p.used() >= rowsMax+staleMax):
		c.outcome(o.Program, o.Rule, OrderRemoved)
		return
	case !ok:
		i = p.add(o.Program, o.Rule, hash)
		p.set(i, rowRemoval|rowHeld, 0)
		l.wait(i)
		return
	}
	r := &p.rows[i]
	owned := r.program.Kind == o.Program.Kind && r.program.Number == o.Program.Number
	if !owned || r.flags.class() == classNone {
		c.outcome(o.Program, o.Rule, OrderRemoved)
		return
	}
	cleared := rowWanted | rowGoing | rowTold
	if !same(r.program, r.rule, o.Program, o.Rule) {
		cleared |= rowSure
	}
	r.program, r.rule = o.Program, o.Rule
	p.set(i, rowRemoval, cleared)
	p.calm(i)
	l.wait(i)
}

// calm has a row wait for nothing.
func (p *programs) calm(i uint32) {
	if t := p.troubles[i]; t != nil {
		t.fails, t.retryAt = 0, time.Time{}
	}
}

// wait puts a row into the queue, unless it is there or under way.
func (l *ledger) wait(i uint32) {
	r := &l.programs.rows[i]
	if l.phase == phaseReady && r.flags&(rowWaits|rowFlies) == 0 {
		r.flags |= rowWaits
		l.programs.queue = append(l.programs.queue, i)
	}
}

// told tells that a rule is installed, unless that has been told.
func (c *Core) told(l *ledger, i uint32) {
	p := l.programs
	r := &p.rows[i]
	if r.flags&rowTold == 0 {
		c.outcome(r.program, r.rule, OrderInstalled)
	}
	p.set(i, rowTold|rowSure|rowOurs|rowHeld, rowAlien)
	if len(p.troubles) > 0 {
		p.calm(i)
	}
	l.displacedBy(r)
}

// displacedBy notes that a program's rule took the place of another's entry, if one was there.
func (l *ledger) displacedBy(r *programRow) {
	if len(l.foreign) > 0 {
		l.displaced(r.place().key(program.Table(l.single)))
	}
}

// unsayable says why the switch's version cannot say a rule, "" if it can. OpenFlow 1.3 can say all, but what is too long.
func (c *Core) unsayable(l *ledger, m *openflow.FlowMod) string {
	if l.version != openflow.V10 {
		return ""
	}
	said, err := c.former.form(l.version, m)
	switch {
	case err != nil:
		return err.Error()
	case said.Match.Exact10():
		return "OpenFlow 1.0 gives a match without wildcards the highest priority"
	case said.Match.Key() != string(m.Match.OXM):
		return fmt.Sprintf("OpenFlow %s would match %s instead", l.version, said.Match.String())
	}
	return ""
}

// end takes a row out of what is kept. While the switch is being read beside the writing its place is remembered: the listing may have
// been made before.
func (l *ledger) endRow(i uint32) {
	p := l.programs
	if l.audit.id != 0 {
		p.set(i, rowMoved, ^rowFlags(0))
		return
	}
	p.drop(i)
}
