package intent

import "slices"

// waiter waits for an intent to enter one of some states.
type waiter struct {
	states []State
	found  chan Intent // receives the intent, or is closed when it is deleted
}

// waiters are all who wait, by the number of the intent.
type waiters struct {
	byNumber map[uint32][]*waiter
	count    int
}

func (w *waiters) add(n uint32, states []State) *waiter {
	one := &waiter{states: states, found: make(chan Intent, 1)}
	w.byNumber[n] = append(w.byNumber[n], one)
	w.count++
	return one
}

// drop removes the waiters of an intent for which ended returns true.
func (w *waiters) drop(n uint32, ended func(*waiter) bool) {
	if w.count == 0 {
		return
	}
	kept := slices.DeleteFunc(w.byNumber[n], func(one *waiter) bool {
		if ended(one) {
			w.count--
			return true
		}
		return false
	})
	if len(kept) > 0 {
		w.byNumber[n] = kept
	} else {
		delete(w.byNumber, n)
	}
}

// close ends the waits for a deleted intent.
func (w *waiters) close(n uint32) {
	w.drop(n, func(one *waiter) bool { close(one.found); return true })
}
