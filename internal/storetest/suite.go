package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
)

// patience is how long something may take that surely comes.
const patience = 30 * time.Second

// Run holds a store to the contract. open makes one that is empty, and closes it when the test
// ends.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, c := range []struct {
		name string
		test func(s *subject)
	}{
		{"put and get", putAndGet}, {"conditions", conditions}, {"else", elseBranch}, {"order in a transaction", orderInTxn},
		{"refusals", refusals}, {"revisions", revisions}, {"pages", pages}, {"ranges of the past", pastRevisions},
		{"compaction", compaction}, {"watch", watch}, {"watch of the past", watchPast},
		{"watch of what was compacted", watchCompacted},
		{"watch waits", watchWaits}, {"leases", leases}, {"lease runs out", leaseEnds}, {"histories", histories},
		{"races", races}, {"snapshot", snapshot}, {"snapshot beside compaction", snapshotHeld},
		{"context", contexts}, {"status", status}, {"closed", closed},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
			defer cancel()
			c.test(&subject{t, ctx, open(t), open})
		})
	}
}

// subject is a store under test.
type subject struct {
	*testing.T
	ctx  context.Context
	st   store.Store
	open func(t *testing.T) store.Store
}

// do does a transaction that must be done.
func (s *subject) do(txn store.Txn) store.Result {
	s.Helper()
	r, err := s.st.Txn(s.ctx, txn)
	if err != nil {
		s.Fatalf("%+v: %v", txn, err)
	}
	return r
}

func (s *subject) put(key, value string) store.Revision {
	s.Helper()
	return s.do(store.Txn{Then: []store.Op{store.Put([]byte(key), []byte(value))}}).Revision
}

func (s *subject) delete(span store.Span) store.Result {
	s.Helper()
	return s.do(store.Txn{Then: []store.Op{store.Delete(span)}})
}

// get reads a span as it is.
func (s *subject) get(span store.Span) []store.Pair {
	s.Helper()
	return s.at(span, 0)
}

// at reads a span as it was.
func (s *subject) at(span store.Span, rev store.Revision) []store.Pair {
	s.Helper()
	page, err := s.st.Range(s.ctx, store.Query{Span: span, Revision: rev})
	if err != nil {
		s.Fatalf("range at %d: %v", rev, err)
	}
	return page.Pairs
}

// refused wants an error of a kind.
func (s *subject) refused(what string, err, want error) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Errorf("%s: %v, want %v", what, err, want)
	}
}

// value wants a key to hold a value.
func (s *subject) value(key, want string) {
	s.Helper()
	got := s.get(store.Key(key))
	if len(got) != 1 || string(got[0].Value) != want {
		s.Errorf("%s holds %v, want %q", key, got, want)
	}
}
