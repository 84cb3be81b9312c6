package window

import "time"

// Max is how many of a window may wait.
const Max = 1 << 16

// Slot is one place of a window: something that waits for its answer, or nothing.
type Slot struct {
	Intended time.Duration // when it was meant to be sent, by the load's clock
	Note     int32         // the load's own
	round    uint16        // grows with each use, so that a late answer is not taken for the next one's
	waiting  bool
}

// Window is what was sent and waits. A token is a slot's index and its round, and never has the highest bit.
type Window struct {
	slots []Slot
	free  []uint16
}

// New is a window in which n may wait, Max at most.
func New(n int) *Window {
	w := &Window{slots: make([]Slot, n), free: make([]uint16, n)}
	for i := range w.free {
		w.free[i] = uint16(n - 1 - i)
	}
	return w
}

// Take uses a slot; ok is false if all wait.
func (w *Window) Take(intended time.Duration, note int32) (token uint32, ok bool) {
	if len(w.free) == 0 {
		return 0, false
	}
	i := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	s := &w.slots[i]
	if s.round++; s.round == 1<<15 { // a token is no reserved buffer id
		s.round = 0
	}
	s.Intended, s.Note, s.waiting = intended, note, true
	return uint32(s.round)<<16 | uint32(i), true
}

// Answer ends the wait of a token; ok is false if none waits: it was answered before, or is not ours.
func (w *Window) Answer(token uint32) (s Slot, ok bool) {
	i := int(token & 0xffff)
	if i >= len(w.slots) {
		return Slot{}, false
	}
	p := &w.slots[i]
	if !p.waiting || uint32(p.round) != token>>16 {
		return Slot{}, false
	}
	p.waiting = false
	w.free = append(w.free, uint16(i))
	return *p, true
}

// Size is how many may wait: the lowest 16 bits of a token are below it.
func (w *Window) Size() int { return len(w.slots) }

// Waiting is how many wait.
func (w *Window) Waiting() int { return len(w.slots) - len(w.free) }

// Abandon gives up those that wait.
func (w *Window) Abandon() {
	for i := range w.slots {
		if w.slots[i].waiting {
			w.slots[i].waiting = false
			w.free = append(w.free, uint16(i))
		}
	}
}
