package controller

import (
	"sync"
	"time"

	"github.com/weirnet/weir/openflow"
)

// heard is what has come up of one trial. The session's reader adds to it.
type heard struct {
	mu          sync.Mutex
	trial       uint32
	unmarked    int
	markedCount int
	firstMarked uint32 // the lowest number of those marked
	last        time.Time
}

// begin forgets the trial before: what still comes of it does not count.
func (h *heard) begin(trial uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trial, h.unmarked, h.markedCount, h.firstMarked, h.last = trial, 0, 0, 0, time.Time{}
}

// packetIn implements tap.
func (h *heard) packetIn(p *openflow.PacketIn, at time.Time) {
	trial, number, isMarked, ok := parseFrame(p.Data)
	h.mu.Lock()
	defer h.mu.Unlock()
	if !ok || trial != h.trial {
		return
	}
	h.last = at
	if !isMarked {
		h.unmarked++
		return
	}
	if h.markedCount == 0 || number < h.firstMarked {
		h.firstMarked = number
	}
	h.markedCount++
}

// marked is how many have come that met the entry.
func (h *heard) marked() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.markedCount
}

// came is how many have come, and when the last one did.
func (h *heard) came() (count int, last time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unmarked + h.markedCount, h.last
}

// verdict reports whether any passed the entry, and which was the first that met it.
func (h *heard) verdict() (missed bool, first uint32, met bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unmarked > 0, h.firstMarked, h.markedCount > 0
}
