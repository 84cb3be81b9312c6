package flowsync

import (
	"fmt"

	"github.com/weirnet/weir/flowsync/objects"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
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

// ownerOf returns the name of a set's owner for people: "intent 7". A tenant has its number, whichever row of its tables the
// set is of.
func ownerOf(set *ruleset.Set) string {
	number := set.Number
	if set.Kind == plan.KindTenant {
		tenant, _ := plan.TenantRow(number)
		number = uint32(tenant)
	}
	return fmt.Sprintf("%s %d", set.Kind, number)
}

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

// ShownObject is a group or a meter that is wanted at a switch, or that the switch has with a number of ours.
type ShownObject struct {
	objects.Shown
	Rules  int // that are wanted with it
	Owners int // of these rules
}

// Owned has f be called, on the loop's goroutine, with the groups and meters that have owners and that a switch has. It does not
// wait, and returns false if the loop has ended.
func Owned(l *Loop, dpid netview.DPID, f func([]object.Held)) bool {
	return l.inbox.ask(func(c *Core) {
		var list []object.Held
		if sw := c.switches[dpid]; sw != nil {
			list = sw.objects.Owned()
		}
		f(list)
	})
}

// objectUse is a rule that is wanted with the object at a place of a list.
type objectUse struct {
	place int
	set   *ruleset.Set
	owner string // of a rule of the view; else it follows from set
}

// KnownObjects is what is known of the groups and meters of a switch at a moment.
type KnownObjects struct {
	list []objects.Shown
	uses []objectUse
}

// Objects returns what is known of the groups and meters of a switch: nothing of one that is unknown or can have none.
func (c *Core) Objects(dpid netview.DPID) (k KnownObjects) {
	if sw := c.switches[dpid]; sw != nil {
		k.list, k.uses = showObjects(sw)
	}
	return k
}

// Count counts rules and owners. It takes its time, and is not for the goroutine of the Core. Meters come first, in order
// of numbers.
func (k *KnownObjects) Count() []ShownObject {
	shown := make([]ShownObject, len(k.list))
	for i := range k.list {
		shown[i].Shown = k.list[i]
	}
	seen := make(map[objectUse]bool)
	for _, u := range k.uses {
		of := &shown[u.place]
		of.Rules++
		if u.owner == "" {
			u.owner = ownerOf(u.set)
		}
		if u.set = nil; !seen[u] {
			seen[u] = true
			of.Owners++
		}
	}
	return shown
}

// showObjects returns the groups and meters of a switch, and the rules that are wanted with them.
func showObjects(sw *switchCore) (list []objects.Shown, uses []objectUse) {
	list = sw.objects.Show(sw.idle(), func(row uint32, place int) {
		uses = append(uses, objectUse{place, sw.rules.rows[row].set, ""})
	})
	meters := make(map[uint32]int)
	for place := range list {
		if list[place].Meter {
			meters[list[place].Number] = place
		}
	}
	for _, v := range sw.rules.view {
		if place, ok := meters[v.meter]; ok && v.meter != 0 {
			uses = append(uses, objectUse{place, v.set, v.rule.Owner})
		}
	}
	return list, uses
}

// idle is why nothing is sent to a switch now; empty if anything is.
func (s *session) idle() string {
	switch {
	case s.phase == phaseDown:
		return errNoSession.Error()
	case s.phase == phaseReading:
		return "the switch is being read"
	case s.denied:
		return "another instance is the master of the switch"
	}
	return ""
}
