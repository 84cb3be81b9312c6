package netview

// Status writes the status of desired rules. Flowsync owns it.
type Status struct{ view *View }

// Status returns the writer of rules' states. It has one owner: a second call panics.
func (v *View) Status() *Status {
	v.own("Status")
	return &Status{v}
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
// that was withdrawn, or has changed since, is dropped.
func (s *Status) Set(results []RuleResult) Revision {
	return s.view.transact(func() {
		for i := range results {
			s.set(&results[i])
		}
	})
}

func (s *Status) set(r *RuleResult) {
	v := s.view
	row, _ := holder(v.rules.rows, r.Key)
	if row == nil || !r.about(&row.Rule) || row.State == r.State && row.Reason == r.Reason {
		return
	}
	next := *row
	next.State, next.Reason = r.State, r.Reason
	v.rules.put(claim{r.Key, row.turn}, &next)
	v.record(Change{Kind: KindRule, Rule: &next.Rule})
}

func (r *RuleResult) about(row *Rule) bool {
	if r.Rule != nil {
		return r.Rule.Owner == row.Owner && sameRule(r.Rule, row)
	}
	return r.Cookie == row.Cookie
}
