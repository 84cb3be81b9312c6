package store

import (
	"slices"
	"sync"
)

// PinnedRevisions are the revisions that snapshots read, which a compaction must keep. The zero
// value has none.
type PinnedRevisions struct {
	mu   sync.Mutex
	revs []Revision
}

// CompactLimit returns the latest revision up to which a compaction may go, at most rev.
func (h *PinnedRevisions) CompactLimit(rev Revision) Revision {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.revs {
		rev = min(rev, r)
	}
	return rev
}

func (h *PinnedRevisions) pin(rev Revision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.revs = append(h.revs, rev)
}

func (h *PinnedRevisions) unpin(rev Revision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.revs, rev); i >= 0 {
		h.revs = slices.Delete(h.revs, i, i+1)
	}
}
