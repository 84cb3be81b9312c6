package load

import "time"

// slot is one place of a window: a packet-in that waits for its answer, or none.
type slot struct {
	intended time.Duration // when the packet was meant to be sent, by the load's clock
	round    uint16        // grows with each use, so that a late answer is not taken for the next packet's
	host     int32         // of a probe: the host that it asks for; else -1
	waiting  bool
}

// window is the packet-ins of one switch that wait. A token is a slot's index and its round: what
// stands in a packet-in's buffer id and payload.
type window struct {
	slots []slot
	free  []uint16
}

// maxWindow is how many packet-ins of a switch may wait.
const maxWindow = 1 << 16

func newWindow(n int) *window {
	w := &window{slots: make([]slot, n), free: make([]uint16, n)}
	for i := range w.free {
		w.free[i] = uint16(n - 1 - i)
	}
	return w
}

// take uses a slot; ok is false if all wait.
func (w *window) take(intended time.Duration, host int32) (token uint32, ok bool) {
	if len(w.free) == 0 {
		return 0, false
	}
	i := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	s := &w.slots[i]
	if s.round++; s.round == 1<<15 { // a token never has the highest bit: it is no reserved buffer id
		s.round = 0
	}
	s.intended, s.host, s.waiting = intended, host, true
	return uint32(s.round)<<16 | uint32(i), true
}

// answer ends the wait of a token's packet; ok is false if none waits: it was answered before, or
// is not ours.
func (w *window) answer(token uint32) (s slot, ok bool) {
	i := int(token & 0xffff)
	if i >= len(w.slots) {
		return slot{}, false
	}
	p := &w.slots[i]
	if !p.waiting || uint32(p.round) != token>>16 {
		return slot{}, false
	}
	p.waiting = false
	w.free = append(w.free, uint16(i))
	return *p, true
}

// waiting is how many packets wait.
func (w *window) waiting() int { return len(w.slots) - len(w.free) }

// abandon gives up those that wait.
func (w *window) abandon() {
	for i := range w.slots {
		if w.slots[i].waiting {
			w.slots[i].waiting = false
			w.free = append(w.free, uint16(i))
		}
	}
}
