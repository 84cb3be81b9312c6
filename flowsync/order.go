package flowsync

import "github.com/weirnet/weir/ruleset"

// Order takes orders without blocking; it copies the list. Orders for one switch are sent in this
// order; one that supersedes another that has not been sent takes its position. Config.OnOutcomes
// gets their outcomes.
func (l *Loop) Order(orders []ruleset.Order) {
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
