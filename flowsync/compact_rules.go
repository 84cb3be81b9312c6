package flowsync

import (
	"fmt"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// ruleView is a rule of a rule set with its status.
type ruleView struct {
	set    *ruleset.Set
	rule   uint16
	status ruleStatus
}

// viewOf returns a row with its status.
func (c *Core) viewOf(sw *switchState, i uint32) ruleView {
	r := &sw.compact.rows[i]
	s := ruleView{r.set, r.rule, ruleStatus{state: netview.RuleInstalled}}
	if r.flags&flagReported == 0 {
		s.status = c.unconfirmedCompact(sw, i)
	}
	return s
}

// render returns the rule as a row of the view, in memory of its own.
func (s *ruleView) render(domain uint16, single bool) *netview.Rule {
	rule := s.set.Rule(int(s.rule), domain, single)
	rule.Owner, rule.State, rule.Reason = ownerOf(s.set), s.status.state, s.status.reason
	return &rule
}

// renderRow returns a row as a row of the view, in memory of its own.
func (c *Core) renderRow(sw *switchState, i uint32) *netview.Rule {
	s := c.viewOf(sw, i)
	return s.render(c.config.Domain, sw.singleTable)
}

// ownerOf returns the name of a set's owner for people: "intent 7".
func ownerOf(set *ruleset.Set) string { return fmt.Sprintf("%s %d", set.Kind, set.Number) }

// viewsOf returns the rules of rule sets that are desired at a switch.
func (c *Core) viewsOf(dpid netview.DPID) (list []ruleView, single bool) {
	sw := c.switches[dpid]
	if sw == nil || sw.compact == nil {
		return nil, false
	}
	t := sw.compact
	list = make([]ruleView, 0, t.count[classInstalled]+t.count[classPending])
	for n := range t.rows {
		if t.rows[n].flags&flagDesired != 0 {
			list = append(list, c.viewOf(sw, uint32(n)))
		}
	}
	return list, sw.singleTable
}

// OrderedRules renders the rules of rule sets that are desired at a switch, with their states, in
// no particular order; nil if the loop has ended. Refused rules are not among them: only their
// outcome told why.
func (l *Loop) OrderedRules(dpid netview.DPID) []*netview.Rule {
	var list []ruleView
	var single bool
	if !l.Ask(func(c *Core) { list, single = c.viewsOf(dpid) }) {
		return nil
	}
	rules := make([]*netview.Rule, len(list))
	for i := range list {
		rules[i] = list[i].render(l.config.Domain, single)
	}
	return rules
}
