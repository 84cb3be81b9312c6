package ruleset

import "github.com/weirnet/weir/openflow"

// Order asks for one rule of a rule set or, if Remove, for the removal of the entry that the set's
// owner has in the rule's place, whichever decision put it there.
type Order struct {
	Rules  *Set
	Rule   uint16
	Remove bool
}

// Outcome is the result of an order. Rules and Rule are the order's.
type Outcome struct {
	Rules  *Set
	Last   *Counts            // of Ended, if they are known
	Reason string             // of Refused, for people
	Code   openflow.ErrorCode // of Refused: the switch's; 0 if it was not asked
	Rule   uint16
	Result Result
}

// Counts are the counters of an entry.
type Counts struct{ Packets, Bytes uint64 }

// Result is what became of an order. Each order gets exactly one of Installed, Removed and Refused,
// unless a later order for its place supersedes it: then it gets none, except for a removal in
// whose place an install is ordered, which is Removed. A switch that is not connected answers
// nothing until it is back. An order for a Mortal rule that is installed already gets Installed again, and its time goes
// on: to begin it anew, its owner removes the rule and waits for Removed.
type Result uint8

const (
	// Installed: a barrier reply, or the switch's listing, has confirmed the rule.
	Installed Result = iota
	// Removed: the switch holds nothing of the owner's in the place, or something of a later order.
	Removed
	// Refused: the switch, or its version of OpenFlow, does not take the rule, or another owner's
	// rule stands in its place. The rule is not desired any more. What the switch held in the place
	// before is removed after a while, unless it is ordered again.
	Refused
	// Lost: the rule was installed, and the switch does not hold it any more. It is put back, and
	// Installed follows.
	Lost
	// Ended: the rule was installed, and a time-out has ended it at the switch. It is not desired any more, and never
	// put back. Only rules of Mortal sets end. An order that has ended gets nothing else.
	Ended
)

// String is "installed", "removed", "refused", "lost" or "ended".
func (r Result) String() string {
	return [...]string{"installed", "removed", "refused", "lost", "ended"}[r]
}
