package flowsync

import (
	"fmt"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// shownRule is a rule with its status.
type shownRule struct {
	set    *ruleset.Set
	rule   uint16
	owner  string
	status ruleStatus
}

// showRow returns a row's rule with its status.
func showRow(t *ruleTable, i uint32) shownRule {
	r := &t.rows[i]
	if v := t.view[i]; v != nil {
		return shownRule{r.set, r.rule, v.rule.Owner, v.status}
	}
	s := shownRule{r.set, r.rule, ownerOf(r.set), ruleStatus{state: netview.RuleInstalled}}
	if !r.state.has(reported) {
		s.status = t.health.unconfirmed(t.failures.losses(i))
	}
	return s
}

// render returns the rule as a row of the view, in memory of its own.
func (s *shownRule) render(domain uint16, single bool) *netview.Rule {
	rule := s.set.Rule(int(s.rule), domain, single)
	rule.Owner, rule.State, rule.Reason = s.owner, s.status.state, s.status.reason
	return &rule
}

// renderRow returns a row as a row of the view, in memory of its own.
func renderRow(t *ruleTable, i uint32) *netview.Rule {
	s := showRow(t, i)
	return s.render(t.config.Domain, t.singleTable)
}

// ownerOf returns the name of a set's owner for people: "intent 7".
func ownerOf(set *ruleset.Set) string { return fmt.Sprintf("%s %d", set.Kind, set.Number) }

// showOrdered returns the rules that are ordered, those of the view left out.
func showOrdered(t *ruleTable) []shownRule {
	list := make([]shownRule, 0, t.count[classInstalled]+t.count[classPending])
	for n := range t.rows {
		if r := &t.rows[n]; r.state.wants(wantsRule) && !policyOf(r.set).status {
			list = append(list, showRow(t, uint32(n)))
		}
	}
	return list
}

// OrderedRules renders the rules that were ordered at a switch and are wanted, with their states, in
// no particular order; nil if the loop has ended. Refused rules are not among them: only their
// outcome told why.
func (l *Loop) OrderedRules(dpid netview.DPID) []*netview.Rule {
	var list []shownRule
	var single bool
	known := l.Ask(func(c *Core) {
		if sw := c.switches[dpid]; sw != nil {
			list, single = showOrdered(&sw.rules), sw.singleTable
		}
	})
	if !known {
		return nil
	}
	rules := make([]*netview.Rule, len(list))
	for i := range list {
		rules[i] = list[i].render(l.config.Domain, single)
	}
	return rules
}
