package flowsync

import (
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// policy is what differs between owners in what follows from an event. All else is the same for all.
type policy struct {
	// status: what becomes of a rule is a status in the view; else it is the outcome of an order.
	status bool
	// keeps: a rule that cannot be installed stays wanted. It is tried again after a pause, if the refusal may pass,
	// and when anything changes; else a refusal ends the order.
	keeps bool
	// yields: where the switch refuses a rule's meter the rule is installed without it, and that is said.
	yields bool
	// prevails: it takes a place from an owner that does not, whose order is refused then.
	prevails bool
	// mortal: the switch ends the entry by a time-out. That is the end of the order, and no drift.
	mortal bool
	// exact: an entry of another path version is not the rule.
	exact bool
	// removes are the bits of the cookie that an entry must have in common with the rule to be removed.
	removes uint64
}

// policies are those of ruleset.Policy.
var policies = [ruleset.Policies]policy{
	ruleset.Ordered:  {removes: plan.OwnerMask},
	ruleset.Desired:  {status: true, keeps: true, yields: true, prevails: true, exact: true, removes: plan.DomainMask},
	ruleset.Found:    {removes: plan.OwnerMask},
	ruleset.Mortal:   {mortal: true, removes: plan.OwnerMask},
	ruleset.Leftover: {exact: true, removes: plan.ExactMask},
}

// policyOf returns the policy of a rule's owner.
func policyOf(set *ruleset.Set) *policy { return &policies[set.Policy] }

// isExact reports whether an entry of another path version is not a set's rule.
func isExact(set *ruleset.Set) bool { return policyOf(set).exact || set.Anew }

// sameRule reports whether two rules in one place have one owner and do the same.
func sameRule(set *ruleset.Set, rule uint16, otherSet *ruleset.Set, other uint16) bool {
	if set == otherSet && rule == other {
		return true
	}
	if set.Kind != otherSet.Kind || set.Number != otherSet.Number || !set.SameTimes(otherSet) ||
		set.Version != otherSet.Version && (isExact(set) || isExact(otherSet)) {
		return false
	}
	_, a := set.At(int(rule))
	_, b := otherSet.At(int(other))
	return a == b || a.Equal(b)
}
