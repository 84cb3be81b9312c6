package compactor

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/weirnet/weir/store"
)

// Intervals and thresholds.
const (
	Interval      = time.Second      // between two turns
	compactEvery  = 10 * time.Second // if anything was written
	compactGrowth = 256 << 20        // growth of the file since the last compaction, in bytes
	quietFor      = 10 * time.Second // without a write: then the file may be defragmented
	freeMin       = 64 << 20         // free bytes of the file, which must be half of it too
)

// Compactor maintains one store. One goroutine uses it.
type Compactor struct {
	st  store.Store
	own bool // it compacts, too
	log *slog.Logger
	now func() time.Time

	lastRevision  store.Revision // at the last turn
	compacted     store.Revision
	compactedAt   time.Time // time of the last compaction
	compactedSize int64     // of the file at that time
	lastWrite     time.Time // when a new revision was first seen
	counts        Counts
}

// Counts are what a compactor has done.
type Counts struct{ Compactions, Defragmentations, Failed uint64 }

// New returns a compactor of a store. now is nil for the real clock, log for none.
func New(st store.Store, log *slog.Logger, now func() time.Time) *Compactor {
	if now == nil {
		now = clock
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Compactor{st: st, own: true, log: log, now: now, compactedAt: now(), lastWrite: now()}
}

// NewFollower is New of a member whose store another instance compacts: it defragments its own file alone.
func NewFollower(st store.Store, log *slog.Logger, now func() time.Time) *Compactor {
	k := New(st, log, now)
	k.own = false
	return k
}

// Counts returns the counts. Call it where Turn is called.
func (k *Compactor) Counts() Counts { return k.counts }

// Turn does what is due, and returns when to call it again.
func (k *Compactor) Turn(ctx context.Context) time.Time {
	now := k.now()
	status, err := k.st.Status(ctx)
	if err != nil {
		k.counts.Failed++
		return now.Add(Interval)
	}
	if status.Revision != k.lastRevision {
		k.lastWrite = now
	}
	old := k.lastRevision // of a second ago
	k.lastRevision = status.Revision
	switch {
	case status.Full != "":
		k.compact(ctx, status.Revision, &status)
		if status.InUse < status.Size/10*9 {
			k.defragment(ctx)
		}
	case now.Sub(k.compactedAt) >= compactEvery || status.Size-k.compactedSize >= compactGrowth:
		k.compact(ctx, old, &status)
	case now.Sub(k.lastWrite) >= quietFor && status.Size-status.InUse >= freeMin && status.InUse <= status.Size/2:
		k.defragment(ctx)
	}
	return now.Add(Interval)
}

func (k *Compactor) compact(ctx context.Context, rev store.Revision, status *store.Status) {
	k.compactedAt, k.compactedSize = k.now(), status.Size
	if rev <= k.compacted || !k.own {
		return
	}
	switch err := k.st.Compact(ctx, rev); {
	case err == nil:
		k.counts.Compactions++
		k.compacted = rev
	case errors.Is(err, store.ErrCompacted):
		k.compacted = rev // by another client
	default:
		k.failed("compaction", err)
	}
}

func (k *Compactor) defragment(ctx context.Context) {
	if err := k.st.Defragment(ctx); err != nil {
		k.failed("defragmentation", err)
		return
	}
	k.counts.Defragmentations++
	if status, err := k.st.Status(ctx); err == nil {
		k.compactedSize = status.Size
	}
}

func (k *Compactor) failed(what string, err error) {
	k.counts.Failed++
	k.log.Debug("store: "+what+" failed", "error", err)
}
