package flowsync

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// Order asks for one rule of a rule set or, if Remove, for the removal of the entry that the set's
// owner has in the rule's place, whichever decision put it there.
type Order struct {
	Rules  *ruleset.Set
	Rule   uint16
	Remove bool
}

// Outcome is the result of an order. Rules and Rule are the order's.
type Outcome struct {
	Rules  *ruleset.Set
	Reason string // of OrderRefused
	Code   openflow.ErrorCode
	Rule   uint16
	Result Result
}

// Result is what became of an order. Each order gets exactly one of OrderInstalled, OrderRemoved
// and OrderRefused, unless a later order for its place supersedes it: then it gets none, except
// for a removal in whose place an install is ordered, which is OrderRemoved. A switch that is not
// connected answers nothing until it is back.
type Result uint8

const (
	// OrderInstalled: a barrier reply, or the switch's listing, has confirmed the rule.
	OrderInstalled Result = iota
	// OrderRemoved: the switch holds nothing of the owner's in the place, or something of a later
	// order.
	OrderRemoved
	// OrderRefused: the switch, or its version of OpenFlow, does not take the rule, or another
	// owner's rule stands in its place: Code is the switch's, and 0 if it was not asked; Reason is
	// for people. The rule is not desired any more. What the switch held in the place before is
	// removed after Config.Grace, unless it is ordered again.
	OrderRefused
	// OrderLost: the rule was installed, and the switch does not hold it any more. It is put back,
	// and OrderInstalled follows.
	OrderLost
)

// String is "installed", "removed", "refused" or "lost".
func (r Result) String() string { return [...]string{"installed", "removed", "refused", "lost"}[r] }

// Order takes orders without blocking; it copies the list. Orders for one switch are sent in this
// order; one that supersedes another that has not been sent takes its position. Config.OnOutcomes
// gets their outcomes.
func (l *Loop) Order(orders []Order) {
	if len(orders) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.orders = append(l.orders, orders...)
	l.Bell.Ring()
}

// takeOrders returns the orders that have come, valid until the next call; l.mu is held.
func (l *Loop) takeOrders() []Order {
	taken := l.orders
	clear(l.taken)
	l.orders, l.taken = l.taken[:0], taken
	if cap(l.orders) > ordersKept {
		l.orders = nil
	}
	return taken
}

// ordersKept is the number of orders for which memory is kept.
const ordersKept = 1 << 16
