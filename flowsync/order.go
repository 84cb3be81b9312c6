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
	l.mu.Lock()
	if !l.closed {
		l.orders = append(l.orders, orders...)
	}
	l.mu.Unlock()
	if len(orders) <= promptOrders {
		l.Prompt()
	} else {
		l.Bell.Ring()
	}
}

// takeOrders returns the orders that have come, valid until the next call; l.mu is held.
func (l *Loop) takeOrders() []ruleset.Order {
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
