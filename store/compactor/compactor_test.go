package compactor

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
)

// seen is a store whose status a test says, and that counts what it is told.
type seen struct {
	*store.Memory
	status       store.Status
	compacted    []store.Revision
	defragmented int
}

func (s *seen) Status(context.Context) (store.Status, error) { return s.status, nil }

func (s *seen) Compact(_ context.Context, rev store.Revision) error {
	s.compacted = append(s.compacted, rev)
	return nil
}

func (s *seen) Defragment(context.Context) error {
	s.defragmented++
	s.status.Size = s.status.InUse
	return nil
}

// TestWhen: what is done when, as the store grows and rests.
func TestWhen(t *testing.T) {
	now := time.Unix(1000, 0)
	s := &seen{Memory: store.NewMemory(nil)}
	k := New(s, nil, func() time.Time { return now })
	turn := func(n int) {
		for range n {
			now = k.Turn(context.Background())
		}
	}
	want := func(what string, compactions, defragmentations int, last store.Revision) {
		t.Helper()
		if len(s.compacted) != compactions || s.defragmented != defragmentations || compactions > 0 &&
			s.compacted[compactions-1] != last {
			t.Errorf("%s: compacted %v, %d defragmentations", what, s.compacted, s.defragmented)
		}
	}
	s.status = store.Status{Revision: 1, Size: 1 << 20, InUse: 1 << 20}
	turn(25)
	want("at rest", 1, 0, 1)
	s.status.Revision = 50
	turn(1)
	s.status.Revision = 60
	turn(10)
	want("written", 2, 0, 60)
	s.status.Revision, s.status.Size = 70, 300<<20
	turn(1)
	want("grown, at what was a second ago: it has been", 2, 0, 60)
	s.status.Revision, s.status.Size = 80, 600<<20
	turn(1)
	want("grown again", 3, 0, 70)
	s.status.InUse = 1 << 20
	turn(8)
	want("not quiet yet", 3, 0, 70)
	turn(5)
	want("quiet", 4, 1, 80)
	s.status.Size, s.status.Full, s.status.Revision = 600<<20, "its quota", 90
	turn(1)
	want("full", 5, 2, 90)
	s.status.InUse = s.status.Size
	turn(3)
	want("full, and nothing to give back", 5, 2, 90)
}

// TestGone: a store that does not answer is asked again.
func TestGone(t *testing.T) {
	m := store.NewMemory(nil)
	k := New(m, nil, nil)
	m.Close()
	if at := k.Turn(context.Background()); at.IsZero() || k.Counts().Failed != 1 {
		t.Errorf("%v, %+v", at, k.Counts())
	}
	if err := m.Compact(context.Background(), 1); !errors.Is(err, store.ErrUnavailable) {
		t.Error(err)
	}
}

// TestMemory: with a real store nothing is asked for that it refuses.
func TestMemory(t *testing.T) {
	now := time.Unix(1000, 0)
	m := store.NewMemory(nil)
	k := New(m, nil, func() time.Time { return now })
	for i := range 100 {
		if i%3 == 0 {
			if _, err := m.Txn(context.Background(), store.Txn{Then: []store.Op{store.Put([]byte("k"), nil)}}); err != nil {
				t.Fatal(err)
			}
		}
		now = k.Turn(context.Background())
	}
	if c := k.Counts(); c.Failed != 0 || c.Compactions < 8 {
		t.Errorf("%+v", c)
	}
}
