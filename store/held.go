package store

import (
	"slices"
	"sync"
)

// Held are the revisions of a store that snapshots read, and that a compaction spares. The zero value holds none.
type Held struct {
	mu   sync.Mutex
	revs []Revision
}

// Spare is the latest revision up to which may be discarded, at most rev.
func (h *Held) Spare(rev Revision) Revision {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.revs {
		rev = min(rev, r)
	}
	return rev
}

func (h *Held) add(rev Revision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.revs = append(h.revs, rev)
}

func (h *Held) drop(rev Revision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.revs, rev); i >= 0 {
		h.revs = slices.Delete(h.revs, i, i+1)
	}
}
