package store_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/weirnet/weir/store"
)

// TestDocuments: whatever fails, a document is the old one or the new one, whole; and nothing is
// left behind in the end.
func TestDocuments(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(3, 4))
	m := store.NewMemory(nil)
	var now []byte
	var saved store.Revision
	failed, done := 0, 0
	for i := range 300 {
		next := bytes.Repeat([]byte{byte(i)}, []int{0, 10, 1 << 20, 1<<20 + 1, 3 << 20}[rng.IntN(5)])
		m.Inject(func(store.Call) store.Fault {
			if n := rng.IntN(60); n < 6 {
				return store.Fault(n)
			}
			return store.None
		})
		at, err := store.SaveDocument(ctx, m, "d", saved, next)
		m.Inject(nil)
		if errors.Is(err, store.ErrUnknown) {
			t.Fatalf("the outcome stays unknown: %v", err)
		}
		got, mod, loadErr := store.LoadDocument(ctx, m, "d")
		if loadErr != nil {
			t.Fatal(loadErr)
		}
		if err == nil && mod != at {
			t.Fatalf("%d: saved at %d, and found at %d", i, at, mod)
		}
		if err == nil {
			now, saved = next, at
			done++
		} else {
			failed++
		}
		if !bytes.Equal(got, now) {
			t.Fatalf("%d: %d bytes, want %d (%v)", i, len(got), len(now), err)
		}
		m.Settle()
	}
	if failed < 20 || done < 100 {
		t.Errorf("%d failed, %d saved", failed, done)
	}
	if _, err := store.SaveDocument(ctx, m, "d", saved, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if page, err := m.Range(ctx, store.Query{Span: store.Prefix("")}); err != nil || len(page.Pairs) != 1 {
		t.Errorf("%d keys are left, %v", len(page.Pairs), err)
	}
}

// TestOnce: what is made once is what it was, whatever happens while it is made.
func TestOnce(t *testing.T) {
	ctx := context.Background()
	for fault := store.None; fault <= store.UnknownLate; fault++ {
		m := store.NewMemory(nil)
		hit := false
		m.Inject(func(c store.Call) store.Fault {
			if c.Name == "Txn" && !hit {
				hit = true
				return fault
			}
			return store.None
		})
		n := byte(0)
		made := func() ([]byte, error) { n++; return []byte{n}, nil }
		first, err := store.Once(ctx, m, "k", made)
		if err != nil {
			first, err = store.Once(ctx, m, "k", made)
		}
		again, _ := store.Once(ctx, m, "k", made)
		if err != nil || len(first) != 1 || !bytes.Equal(first, again) {
			t.Errorf("fault %d: %v, %v, %v", fault, first, again, err)
		}
	}
}

// TestDocumentOfUnknownOutcome: a try that is refused tells nothing of the one before it.
func TestDocumentOfUnknownOutcome(t *testing.T) {
	for _, first := range []store.Fault{store.UnknownDone, store.UnknownLate, store.UnknownLost} {
		for _, then := range []store.Fault{store.Unavailable, store.Full} {
			m := store.NewMemory(nil)
			n := 0
			m.Inject(func(c store.Call) store.Fault {
				if c.Name != "Txn" {
					return store.None
				}
				if n++; n == 1 {
					return first
				}
				return then
			})
			_, err := store.SaveDocument(t.Context(), m, "d", 0, []byte("x"))
			if !errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrFull) {
				t.Errorf("faults %d and %d: %v, want an unknown outcome", first, then, err)
			}
		}
	}
}
