package flowsync

import "github.com/weirnet/weir/ruleset"

// promptOrders is how many orders may be sent on the goroutine of who orders; more of them are worth another.
const promptOrders = 32

// Order takes orders without waiting for a switch; it copies the list. Orders for one switch are sent in this
// order; one that supersedes another that has not been sent takes its position. Config.OnOutcomes
// gets their outcomes. Few are sent before it returns, if the loop has nothing else to do.
func (l *Loop) Order(orders []ruleset.Order) {
	if len(orders) == 0 {
		return
	}
	l.inbox.order(orders)
	if len(orders) <= promptOrders {
		l.Prompt()
	} else {
		l.Bell.Ring()
	}
}
