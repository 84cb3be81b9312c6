package pipe

import "time"

// deadline is the deadline of a half's reads or writes, guarded by the half's mutex.
type deadline struct {
	passed bool
	timer  *time.Timer
	round  int // of the last setting: the timer of an earlier one does nothing
}

// stop stops and frees the timer.
func (d *deadline) stop() {
	d.round++
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

func (h *half) setDeadline(d *deadline, t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.stop()
	d.passed = false
	if !t.IsZero() {
		left := time.Until(t)
		if d.passed = left <= 0; !d.passed {
			round := d.round
			d.timer = time.AfterFunc(left, func() { h.pass(d, round) })
		}
	}
	h.tell()
}

// pass notes that a deadline has passed.
func (h *half) pass(d *deadline, round int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d.round == round {
		d.passed = true
		h.tell()
	}
}

// delayed has n more bytes arrive after the delay.
func (h *half) delayed(n int) {
	time.AfterFunc(h.delay, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.arrived += n
		h.tell()
	})
}
