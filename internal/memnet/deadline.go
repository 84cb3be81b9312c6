package memnet

import "time"

// deadline is the deadline of reads or writes of a half, guarded by the half's mutex.
type deadline struct {
	passed bool
	timer  *time.Timer
	round  int // of the last setting: a timer of an earlier one does nothing
}

func (h *half) setDeadline(d *deadline, t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.round++
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	left := time.Until(t)
	d.passed = !t.IsZero() && left <= 0
	if !t.IsZero() && left > 0 {
		round := d.round
		d.timer = time.AfterFunc(left, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			if d.round == round {
				d.passed = true
				h.changed.Broadcast()
			}
		})
	}
	h.changed.Broadcast()
}
