package journal

import (
	"testing"

	"github.com/weirnet/weir/store"
)

// TestSmallDeadBlocksGoTogether: blocks of which nothing is alive wait for their neighbours while
// records come: many are read in one go, and deleted by one operation; and they do not wait for
// ever.
func TestSmallDeadBlocksGoTogether(t *testing.T) {
	st := store.NewMemory(nil)
	s := step(t, st, Config{})
	reads, deletes := 0, 0
	st.Inject(func(c store.Call) store.Fault {
		if c.Name == "Range" {
			reads++
		}
		if c.Txn != nil {
			for _, op := range c.Txn.Then {
				if op.Span.From != nil {
					deletes++
				}
			}
		}
		return store.None
	})
	const rounds = 160
	for n := range uint32(rounds) { // each withdraws what the one before brought
		s.add(Record{Number: n, Data: make([]byte, 100)}, Record{Number: n - 1, Delete: true})
	}
	stats := s.Stats()
	if gone := stats.Deleted + stats.MergedBlocks; gone < rounds-2*sparseTogether {
		t.Errorf("%d of %d blocks are gone", gone, rounds)
	}
	if stats.Blocks > 2*sparseTogether {
		t.Errorf("%d blocks are kept", stats.Blocks)
	}
	if most := rounds / 4; reads > most || deletes > most {
		t.Errorf("%d reads and %d deletions for %d blocks, want %d at most", reads, deletes, rounds, most)
	}
}
