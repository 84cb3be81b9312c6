package netview

import "fmt"

// Status writes the status of desired rules. The flowsync of an instance owns it; several instances may have
// one each.
type Status struct {
	view     *View
	instance string
}

// Status is StatusFrom without a name.
func (v *View) Status() *Status { return v.StatusFrom("") }

// StatusFrom returns the writer of what an instance reports of rules. Of a switch whose master is known (see
// Masters) only that instance's reports count: those of others are dropped. Those of an instance without a name
// always count. Each name has one owner: a second call with it panics.
func (v *View) StatusFrom(instance string) *Status {
	v.own(fmt.Sprintf("Status(%q)", instance))
	return &Status{v, instance}
}

// RuleResult is the result of a rule at its switch.
type RuleResult struct {
	Key RuleKey
	// Rule, if not nil, is the row that was acted on: the result is dropped if what is desired is
	// no longer the same (its state apart). Otherwise Cookie decides.
	Rule   *Rule
	Cookie uint64
	State  RuleState
	Reason string // of RuleFailed
}

// Set writes results in one transaction, which is published when Set returns. A result for a rule
// that was withdrawn, or has changed since, or whose switch has another master, is dropped.
func (s *Status) Set(results []RuleResult) Revision {
	return s.view.transact(func(w *working) {
		for i := range results {
			if master := w.masterOf(results[i].Key.DPID); s.instance == "" || master == "" || master == s.instance {
				w.setStatus(&results[i], s.instance)
			}
		}
	})
}

// setStatus writes a result. The same from another instance is a change: the row says who answers for it.
func (w *working) setStatus(r *RuleResult, by string) {
	row, _ := holder(w.rules.rows, r.Key)
	if row == nil || !r.about(&row.Rule) {
		return
	}
	if row.State == r.State && row.Reason == r.Reason && (row.Reporter == by || row.Reporter == "") {
		return
	}
	next := *row
	next.State, next.Reason, next.Reporter = r.State, r.Reason, by
	w.rules.put(claim{r.Key, row.turn}, &next)
	w.record(Change{Kind: KindRule, Rule: &next.Rule})
}

func (r *RuleResult) about(row *Rule) bool {
	if r.Rule != nil {
		return r.Rule.Owner == row.Owner && (r.Rule.Revision == row.Revision || sameRule(r.Rule, row))
	}
	return r.Cookie == row.Cookie
}
