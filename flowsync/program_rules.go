package flowsync

import (
	"fmt"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
)

// standingRule is a program's rule with what is known of it.
type standingRule struct {
	program *program.Program
	rule    uint16
	verdict verdict
}

// standingOf is a row as others see it.
func (c *Core) standingOf(l *ledger, i uint32) standingRule {
	r := &l.programs.rows[i]
	s := standingRule{r.program, r.rule, verdict{state: netview.RuleInstalled}}
	if r.flags&rowTold == 0 {
		s.verdict = c.waitingRule(l, i)
	}
	return s
}

// row makes a row of it, in memory of its own.
func (s *standingRule) row(domain uint16, single bool) *netview.Rule {
	rule := s.program.Rule(int(s.rule), domain, single)
	rule.Owner, rule.State, rule.Reason = ownerOf(s.program), s.verdict.state, s.verdict.reason
	return &rule
}

// ruleOf is a row as others see it, in memory of its own.
func (c *Core) ruleOf(l *ledger, i uint32) *netview.Rule {
	s := c.standingOf(l, i)
	return s.row(c.config.Domain, l.single)
}

// ownerOf names the owner of a program for people: "intent 7".
func ownerOf(p *program.Program) string { return fmt.Sprintf("%s %d", p.Kind, p.Number) }

// standingRules are the rules of programs that are wanted at a switch.
func (c *Core) standingRules(dpid netview.DPID) (list []standingRule, single bool) {
	l := c.ledgers[dpid]
	if l == nil || l.programs == nil {
		return nil, false
	}
	p := l.programs
	list = make([]standingRule, 0, p.count[classInstalled]+p.count[classPending])
	for n := range p.rows {
		if p.rows[n].flags&rowWanted != 0 {
			list = append(list, c.standingOf(l, uint32(n)))
		}
	}
	return list, l.single
}

// ProgramRules renders the rules of programs that are wanted at a switch, with their states, in no particular order; nil if the loop is over.
// What a rule refused by the switch was is not known here: its owner has been told.
func (l *Loop) ProgramRules(dpid netview.DPID) []*netview.Rule {
	var list []standingRule
	var single bool
	if !l.Ask(func(c *Core) { list, single = c.standingRules(dpid) }) {
		return nil
	}
	rules := make([]*netview.Rule, len(list))
	for i := range list {
		rules[i] = list[i].row(l.config.Domain, single)
	}
	return rules
}
