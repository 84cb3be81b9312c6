package upkeep

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/weirnet/weir/store"
)

// When what is done.
const (
	Every        = time.Second      // a look at the store
	compactEvery = 10 * time.Second // if anything was written
	compactGrown = 256 << 20        // bytes of the file, since the last compaction
	quietFor     = 10 * time.Second // without a write: then the file may be defragmented
	wasteMin     = 64 << 20         // bytes of the file that are free, and at least half of it
)

// Keeper looks after one store. One goroutine uses it.
type Keeper struct {
	st  store.Store
	log *slog.Logger
	now func() time.Time

	seen      store.Revision // at the look before
	compacted store.Revision
	at        time.Time // of the last compaction
	size      int64     // of the file then
	written   time.Time // when a revision was new
	counts    Counts
}

// Counts are what a keeper has done.
type Counts struct{ Compactions, Defragmentations, Failed uint64 }

// New looks after a store. now is nil for the real clock, log for none.
func New(st store.Store, log *slog.Logger, now func() time.Time) *Keeper {
	if now == nil {
		now = clock
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Keeper{st: st, log: log, now: now, at: now(), written: now()}
}

// Counts are what was done so far. Call it where Turn is called.
func (k *Keeper) Counts() Counts { return k.counts }

// Turn looks once, and returns when to look again.
func (k *Keeper) Turn(ctx context.Context) time.Time {
	now := k.now()
	status, err := k.st.Status(ctx)
	if err != nil {
		k.counts.Failed++
		return now.Add(Every)
	}
	if status.Revision != k.seen {
		k.written = now
	}
	old := k.seen // a second ago
	k.seen = status.Revision
	switch {
	case status.Full != "":
		k.compact(ctx, status.Revision, &status)
		if status.InUse < status.Size/10*9 {
			k.defragment(ctx)
		}
	case now.Sub(k.at) >= compactEvery || status.Size-k.size >= compactGrown:
		k.compact(ctx, old, &status)
	case now.Sub(k.written) >= quietFor && status.Size-status.InUse >= wasteMin && status.InUse <= status.Size/2:
		k.defragment(ctx)
	}
	return now.Add(Every)
}

func (k *Keeper) compact(ctx context.Context, rev store.Revision, status *store.Status) {
	k.at, k.size = k.now(), status.Size
	if rev <= k.compacted {
		return
	}
	switch err := k.st.Compact(ctx, rev); {
	case err == nil:
		k.counts.Compactions++
		k.compacted = rev
	case errors.Is(err, store.ErrCompacted):
		k.compacted = rev // by somebody else
	default:
		k.failed("compaction", err)
	}
}

func (k *Keeper) defragment(ctx context.Context) {
	if err := k.st.Defragment(ctx); err != nil {
		k.failed("defragmentation", err)
		return
	}
	k.counts.Defragmentations++
	if status, err := k.st.Status(ctx); err == nil {
		k.size = status.Size
	}
}

func (k *Keeper) failed(what string, err error) {
	k.counts.Failed++
	k.log.Debug("store: "+what+" failed", "error", err)
}
