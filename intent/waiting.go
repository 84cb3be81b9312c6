package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// waiting has the intents without rules, by what they wait for; when that comes they are queued to be
// evaluated again. Some may have rules by then, or be gone.
type waiting struct {
	entries *entries
	queue   *reevaluations

	forSwitch map[netview.DPID][]uint32 // that wait for a switch or one of its ports
	noPath    []uint32                  // failed without a path, each once
	blocked   map[uint32][]uint32       // failed because of a conflict, by the number of the other intent
}

// addForSwitch notes that an intent waits for a switch, or one of its ports.
func (w *waiting) addForSwitch(dpid netview.DPID, n uint32) {
	if list := w.forSwitch[dpid]; !slices.Contains(list[max(0, len(list)-8):], n) {
		w.forSwitch[dpid] = append(list, n)
	}
}

// addPathless notes that an intent has no path: a link, or anything else, may help.
func (w *waiting) addPathless(n uint32) {
	if e := w.entries.At(n); !e.has(pathless) {
		e.flags |= pathless
		w.noPath = append(w.noPath, n)
	}
}

// addBlocked notes that rules of another intent are in the way of one.
func (w *waiting) addBlocked(n, other uint32) { w.blocked[other] = append(w.blocked[other], n) }

// switchCame queues those that wait for a switch, which has come or has other ports.
func (w *waiting) switchCame(dpid netview.DPID) {
	if list := w.forSwitch[dpid]; len(list) > 0 {
		delete(w.forSwitch, dpid)
		w.queue.add(list)
	}
}

// unblock queues those that an intent was in the way of.
func (w *waiting) unblock(other uint32) {
	if list := w.blocked[other]; len(list) > 0 {
		delete(w.blocked, other)
		w.queue.add(list)
	}
}

// retryPathless queues those that failed without a path or with a conflict.
func (w *waiting) retryPathless() {
	list := w.takePathless()
	for _, blocked := range w.blocked {
		list = append(list, blocked...)
	}
	clear(w.blocked)
	w.queue.add(list)
}

// takePathless empties the list of the intents that failed without a path.
func (w *waiting) takePathless() []uint32 {
	list := w.noPath
	w.noPath = nil
	for _, n := range list {
		w.entries.At(n).flags &^= pathless
	}
	return list
}

// reset forgets who waits for the network: all intents are evaluated again.
func (w *waiting) reset() {
	clear(w.forSwitch)
	w.takePathless()
}
